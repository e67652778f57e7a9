-- pack: the place of a score among the scores of a board whose equals stand in the order of their arrivals: one number, the
-- greater the better. ties is 'first' (who arrived earlier stands first) or 'last'. arrival_of takes it apart.
--
-- A double's order is that of its bits, so it holds 63 bits of order and not only the 53 that a sum of score and fraction
-- would: the exponent and 17 bits of the fraction say the score, 35 bits the arrival. Exact for whole scores below 267911168
-- and the first 34359738367 arrivals; greater scores, up to 2^53, keep their order without that of their arrivals.
local function pack(score, arrival, ties)
  local size, most = math.abs(score), 2 ^ 35 - 1
  local above = math.floor(size / 2 ^ 17)
  local rest
  if above < 2044 then
    arrival = math.min(arrival, most)
    rest = size % 2 ^ 17 * 2 ^ 35 + (ties == 'first' and most - arrival or arrival)
  else
    rest = math.min(size, 2 ^ 53) - 2044 * 2 ^ 17
    above, rest = 2044 + math.floor(rest / 2 ^ 52), rest % 2 ^ 52
  end
  local place = (1 + rest / 2 ^ 52) * 2 ^ (above - 1022)
  return score < 0 and -place or place
end
