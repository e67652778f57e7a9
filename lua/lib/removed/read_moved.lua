-- read_moved: reads what is said of a batch's members that were removed from the board, into c.moved_said by their numbers, and lets the
-- events of those that became others count for these.
local function read_moved(c)
  local batch, items = c.batch, tracked_items(c)
  local found, is_any = follow_moved(c, batch.names, find_moved)
  c.moved_said = found
  if is_any then join_members(batch) end
  if batch.has_tracked then follow_tracked(c, items) end
end
