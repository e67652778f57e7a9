-- mark_done: notes that a tracked action counted, in tables: that it counts no more in its period, the place of its visitor, its record, and what the
-- journal tells. `found` is what find_undone found. Answers its outcome.
local function mark_done(c, entry, found)
  local tracked = entry.tracked
  if found.set then put_once(found.set, found.digest, true) end
  if found.place then take_visitor_place(c, found.place) end
  if tracked.verb == 'r' then remember_tracked(c, entry, found.who) end
  if c.journal then note_done(c, entry, found.who) end
  return apply_seq(c, tracked, 'c')
end
