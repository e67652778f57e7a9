-- count_above: how many members of a sorted set have more than a score, were it not for what `changed`: a list of { score before, score
-- now }, with 0 for who is not there.
local function count_above(key, score, changed)
  local count = redis.call('ZCOUNT', key, string.format('(%.17g', score), '+inf')
  for i = 1, #changed do
    local was, now = changed[i][1], changed[i][2]
    if was > score then count = count + 1 end
    if now > score then count = count - 1 end
  end
  return count
end
