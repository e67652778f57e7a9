-- read_order: the members from `from` to `to` of a sorted set, from 0 and best first, with their scores. Those of an order of ties
-- are read out of its sort keys. `as_texts`: the others stay as Redis writes them.
local function read_order(key, from, to, is_packed, as_texts)
  local both, members, scores = redis.call('ZREVRANGE', key, from, to, 'WITHSCORES'), {}, {}
  for i = 1, #both / 2 do
    local member, score = both[2 * i - 1], both[2 * i]
    if is_packed then
      score = is_mark(member) and tonumber(score) or unpack_score(tonumber(score))
    elseif not as_texts then
      score = tonumber(score)
    end
    members[i], scores[i] = member, score
  end
  return { members = members, scores = scores }
end
