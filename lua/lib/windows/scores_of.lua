-- scores_of: the scores of members of a sorted set as numbers, 0 for those that are not in it.
local function scores_of(key, members)
  local scores = redis.call('ZMSCORE', key, unpack(members))
  for i = 1, #members do
    scores[i] = tonumber(scores[i] or 0)
  end
  return scores
end
