-- sort_keys: one number that holds a score and a sequence number, for the order of ties.

-- SCORES: the scores of sort keys, by their texts. The library keeps those that it read last: some 200 kB.
local SCORES = { count = 0, most = 2000, of = {} }

-- pack_sort_key: the sort key of a score and a sequence number: one number, greater for members that stand higher. ties is 'first'
-- (the lower sequence number stands first) or 'last'. unpack_sequence reads the sequence number back.
--
-- A double's order is that of its bits. So a double holds 63 bits of order, and not only the 53 that a sum of score and
-- fraction would have. The exponent and 17 bits of the fraction hold the score, 35 bits the sequence number. It is exact for
-- whole scores below 267911168 and the first 34359738367 sequence numbers. Greater scores, up to 2^53, keep their own order
-- and ignore the sequence numbers.
local function pack_sort_key(score, sequence, ties)
  local size, max_sequence = score < 0 and -score or score, 2 ^ 35 - 1
  local above = (size - size % 2 ^ 17) / 2 ^ 17
  local rest
  if above < 2044 then
    if sequence > max_sequence then sequence = max_sequence end
    rest = size % 2 ^ 17 * 2 ^ 35 + (ties == 'first' and max_sequence - sequence or sequence)
  else
    rest = math.min(size, 2 ^ 53) - 2044 * 2 ^ 17
    above, rest = 2044 + math.floor(rest / 2 ^ 52), rest % 2 ^ 52
  end
  local key = (1 + rest / 2 ^ 52) * 2 ^ (above - 1022)
  return score < 0 and -key or key
end

-- unpack_sequence: the sequence number in a sort key; see pack_sort_key.
local function unpack_sequence(sort_key, score, ties)
  local size = math.abs(score)
  local above = math.floor(size / 2 ^ 17)
  if above >= 2044 then return 0 end
  local rest = (math.abs(sort_key) / 2 ^ (above - 1022) - 1) * 2 ^ 52 - size % 2 ^ 17 * 2 ^ 35
  return ties == 'first' and 2 ^ 35 - 1 - rest or rest
end

-- unpack_score: the score in a sort key; see pack_sort_key. It is exact for the whole scores that boards with an order of ties have.
local function unpack_score(sort_key)
  local half, exponent = math.frexp(math.abs(sort_key))
  local above, rest = exponent + 1021, (2 * half - 1) * 2 ^ 52
  local size = above < 2044 and above * 2 ^ 17 + math.floor(rest / 2 ^ 35) or 2044 * 2 ^ 17 + (above - 2044) * 2 ^ 52 + rest
  return sort_key < 0 and -size or size
end

-- score_of: the score in a sort key, both as texts. Reading the text of a sort key costs what a hundred lines cost.
local function score_of(sort_key) return SCORES.of[sort_key] or keep_memo(SCORES, sort_key, text_of(unpack_score(tonumber(sort_key)))) end
