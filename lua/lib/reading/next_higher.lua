-- next_higher: the lowest score above a score that a member has who is shown by it; nil when nobody has more.
local function next_higher(found, curated, score)
  local above = string.format('(%.17g', score)
  local room = gaps_above(curated.gaps, score) + 1
  local both = redis.call('ZRANGEBYSCORE', found.key, above, '+inf', 'WITHSCORES', 'LIMIT', 0, room)
  for i = 1, #both, 2 do
    if not curated.is_moved[both[i]] then return tonumber(both[i + 1]) end
  end
  return nil
end
