-- remember_now: whether an event of now is known by its id already, and remembers it. The sets of ids of before and of now are named in c.text, up to
-- these ends. c.turns is that of now where it is to be looked whether that is full, see turn_full.
local function remember_now(c, before_to, now_to, id)
  local key = string.sub(c.text, before_to + 1, now_to - 1)
  local was_known = redis.call('SISMEMBER', string.sub(c.text, c.from + 30, before_to - 1), id) == 1
  if redis.call('SADD', key, id) == 0 or was_known then return true end
  c.id_key, c.turns = key, c.now_ms % 64 == 0 and key
  return false
end
