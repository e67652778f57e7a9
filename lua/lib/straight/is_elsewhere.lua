-- is_elsewhere: whether the member or the item of an event was removed, or became another one, so that more must be known of it.
local function is_elsewhere(c, entry)
  c.moved = c.plan.is_choosy and c.plan.moved or ''
  if c.moved == '' then return false end
  if string.find(c.moved, 'merging=', 1, true) or next(find_moved(c, c.batch.names)) then return true end
  local item = string.find(c.moved, 'items=', 1, true) and entry.tracked and entry.tracked.of_item
  return item and find_items(c, { item })[1]
end
