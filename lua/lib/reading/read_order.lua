-- read_order: the members from `from` to `to` of a sorted set, from 0 and best first, with their scores. Those of an order of ties
-- are read out of its sort keys.
local function read_order(key, from, to, is_packed)
  local both, head = redis.call('ZREVRANGE', key, from, to, 'WITHSCORES'), { members = {}, scores = {} }
  for i = 1, #both, 2 do
    local score = tonumber(both[i + 1])
    head.members[#head.members + 1] = both[i]
    head.scores[#head.scores + 1] = is_packed and not is_mark(both[i]) and unpack_score(score) or score
  end
  return head
end
