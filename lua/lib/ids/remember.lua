-- remember: remembers ids and answers, for each, whether it was remembered before.
-- Ids go into one set per bucket of time, as long as the replay window. So an id is known for one to two windows after it was
-- last sent, and the sets expire whole.
local function remember(prefix, replay_window, now, ids)
  local bucket = math.floor(now / replay_window)
  local current, previous = prefix .. ':' .. bucket, prefix .. ':' .. (bucket - 1)
  local earlier = redis.call('SMISMEMBER', previous, unpack(ids))
  local known = #ids > 1 and redis.call('SMISMEMBER', current, unpack(ids))
  local added = redis.call('SADD', current, unpack(ids))
  if added == redis.call('SCARD', current) then redis.call('EXPIREAT', current, (bucket + 2) * replay_window) end
  local seen = {}
  for i = 1, #ids do
    seen[i] = earlier[i] == 1 or (known and known[i] == 1) or (not known and added == 0)
  end
  return seen
end
