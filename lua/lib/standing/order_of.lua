-- order_of: the order of ties on the window that c.stands asks for, where it is kept; else nil.
local function order_of(stands)
  local found, ties = stands.found, stands.visible.ties
  if ties == '' then return nil end
  local order, is_doubtful = kept_index(found, found.key, ties)
  return order and not (is_doubtful and redis.call('ZCARD', order) ~= redis.call('ZCARD', found.key)) and order or nil
end
