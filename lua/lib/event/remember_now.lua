-- remember_now: remembers an id, unless one of the two sets that take turns has it: then false.
local function remember_now(c, id)
  local key = ids_key(c.board, c.sender, c.id_turn)
  if redis.call('SISMEMBER', ids_key(c.board, c.sender, c.id_turn - 1), id) == 1 or redis.call('SADD', key, id) == 0 then return false end
  c.id_key = key
  if c.now_ms % 64 == 0 then turn_full(c, key) end
  return true
end
