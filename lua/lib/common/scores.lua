-- scores: scores as numbers.

-- round_decimals: the nearest multiple of a millionth. Weights have at most six decimals. So this takes back what adding
-- binary fractions gets wrong: sums of fractional weights are exact, and zero when they should be.
local function round_decimals(sum)
  if sum % 1 == 0 then return sum end
  return math.floor(sum * 1e6 + 0.5) / 1e6
end

-- scores_of: the scores of members of a sorted set as numbers, 0 for those that are not in it.
local function scores_of(key, members)
  local scores = redis.call('ZMSCORE', key, unpack(members))
  for i = 1, #members do
    scores[i] = tonumber(scores[i] or 0)
  end
  return scores
end

-- score_arg: a score as an argument of redis.call, which writes whole numbers exactly. It writes them with 17 digits, so most scores are texts that the
-- library keeps: those below 1000.
local function score_arg(score)
  if score % 1 ~= 0 or score >= 2 ^ 53 or score <= -2 ^ 53 then return string.format('%.17g', score) end
  return score > 0 and score < 1000 and text_of(score) or score
end
