-- remember_now: remembers an id, for a window from now on. Answers false when one of the two sets that take turns had it before.
local function remember_now(c, id)
  local key = ids_key(c.board, c.sender, c.id_turn)
  local was_known = redis.call('SISMEMBER', ids_key(c.board, c.sender, c.id_turn - 1), id) == 1
  if redis.call('SADD', key, id) == 0 or was_known then return false end
  c.id_key = key
  if c.now_ms % 64 == 0 then turn_full(c, key) end
  return true
end
