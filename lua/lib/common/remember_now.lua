-- remember_now: whether an event of now is known by its id already, and remembers it in the sets of ids of its plan. c.turns is that of now where it is
-- to be looked whether that is full, see turn_full.
local function remember_now(c, id)
  local key = c.plan.ids
  if redis.call('SADD', key, id) == 0 then return true end
  c.id_key = key
  if redis.call('SISMEMBER', c.plan.ids_before, id) == 1 then
    c.id_key = nil
    return true
  end
  c.turns = c.now_ms % 64 == 0 and key
  return false
end
