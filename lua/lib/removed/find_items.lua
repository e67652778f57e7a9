-- find_items: what is said of some items on a target whose members they are not, see find_moved.
local function find_items(c, items)
  local fields = {}
  for i = 1, #items do
    fields[i] = alias_field(items[i], true)
  end
  return redis.call('HMGET', moved_key(c.board), unpack(fields))
end
