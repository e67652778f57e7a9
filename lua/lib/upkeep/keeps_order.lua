-- keeps_order: whether a board has an order of ties with all of its members. One begins with its board, and after a change of the options there
-- is none until the next one: whoever wrote some members into it would make it one that lacks the others.
local function keeps_order(c, key)
  if not c.ties then return false end
  local order = index_key(key, c.ties, c.index_generation)
  if redis.call('ZSCORE', order, '\0') then return true end
  -- Layout 1 kept them without a mark, on boards without one.
  return c.index_generation == '0' and redis.call('EXISTS', order) == 1 and not redis.call('ZSCORE', key, '\0')
end
