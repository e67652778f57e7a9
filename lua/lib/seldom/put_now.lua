-- put_now: gives a member of a rolling board its score. `old` is the one that it has, for take_back; of a member that is not on the next
-- board yet, where zeros are not kept either, only that. Answers whether the member is new.
local function put_now(c, key, member, old, score)
  local added = 0
  if score == 0 then
    redis.call('ZREM', key, member)
  else
    added = redis.call('ZADD', key, score_arg(score), member)
  end
  local put, last = c.put, #c.put
  put[last + 1], put[last + 2] = key, added == 0 and old ~= 0 and old
  return added == 1
end
