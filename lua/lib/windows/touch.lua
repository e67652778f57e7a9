-- touch: notes the members of a rolling window that are written while it is being repaired; the repair does not end before it has
-- looked at them again. Nothing needs to be noted before a repair begins.
local function touch(c, window, current, members)
  if window.said ~= 'repair ' .. current then return end
  local key = touched_key(c.board, window.name)
  redis.call('SADD', key, unpack(members))
end
