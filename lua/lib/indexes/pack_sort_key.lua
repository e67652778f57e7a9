-- pack_sort_key: the sort key of a score and a sequence number: one number, greater for members that stand higher. ties is 'first'
-- (the lower sequence number stands first) or 'last'. unpack_sequence reads the sequence number back.
--
-- A double's order is that of its bits. So a double holds 63 bits of order, and not only the 53 that a sum of score and
-- fraction would have. The exponent and 17 bits of the fraction hold the score, 35 bits the sequence number. It is exact for
-- whole scores below 267911168 and the first 34359738367 sequence numbers. Greater scores, up to 2^53, keep their own order
-- and ignore the sequence numbers.
local function pack_sort_key(score, sequence, ties)
  local size, max_sequence = math.abs(score), 2 ^ 35 - 1
  local above = math.floor(size / 2 ^ 17)
  local rest
  if above < 2044 then
    sequence = math.min(sequence, max_sequence)
    rest = size % 2 ^ 17 * 2 ^ 35 + (ties == 'first' and max_sequence - sequence or sequence)
  else
    rest = math.min(size, 2 ^ 53) - 2044 * 2 ^ 17
    above, rest = 2044 + math.floor(rest / 2 ^ 52), rest % 2 ^ 52
  end
  local key = (1 + rest / 2 ^ 52) * 2 ^ (above - 1022)
  return score < 0 and -key or key
end
