-- want_done: lets an entry count, in tables, what its undo takes away, see find_done.
local function want_done(c, entry)
  local tracked = entry.tracked
  entry.group = group_of(c, tracked.done_at)
  if entry.fades then want_fading(c, entry) end
  want_recorded(c, entry)
  if c.indexes.ties then want_undone(c, tracked) end
end
