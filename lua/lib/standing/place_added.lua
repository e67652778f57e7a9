-- place_added: where a member stands, before the only event of a call, in the order that tells its place on the window that c.stands asks for: { its
-- place there from 0, the order }, for place_before; nil of who is not there, and of who is curated.
local function place_added(stands, curated, member)
  if curated.is_moved[member] then return nil end
  for _, order in ipairs({ order_of(stands) or stands.key, stands.key }) do
    local at = redis.call('ZREVRANK', order, member)
    if at then return { at, order } end
  end
end
