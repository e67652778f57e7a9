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

-- number_arg: a number as an argument of redis.call, which writes whole ones exactly. It writes them with 17 digits, so most are texts that the library
-- keeps: those below 1000.
local function number_arg(number)
  if number % 1 ~= 0 or number >= 2 ^ 53 or number <= -2 ^ 53 then return string.format('%.17g', number) end
  return number >= 0 and number < 1000 and text_of(number) or number
end
