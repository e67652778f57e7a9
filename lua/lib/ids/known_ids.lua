-- known_ids: for each id, whether it was remembered before; and a function that remembers ids.
-- Two sets take turns, each for as long as the replay window. So an id is known for one to two windows after it was
-- last sent, and the sets expire whole.
local function known_ids(prefix, replay_window, now, ids)
  local bucket = math.floor(now / replay_window)
  local current, previous = prefix .. ':' .. bucket, prefix .. ':' .. (bucket - 1)
  local earlier = redis.call('SMISMEMBER', previous, unpack(ids))
  local known = redis.call('SMISMEMBER', current, unpack(ids))
  local seen = {}
  for i = 1, #ids do
    seen[i] = earlier[i] == 1 or known[i] == 1
  end
  return seen,
    function(remembered)
      local added = redis.call('SADD', current, unpack(remembered))
      if added == redis.call('SCARD', current) then redis.call('EXPIREAT', current, (bucket + 2) * replay_window) end
    end
end
