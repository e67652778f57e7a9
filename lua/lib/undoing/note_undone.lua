-- note_undone: lets store_journal note that an action was undone: it is not to be taken back once more.
local function note_undone(c, tracked)
  c.noted_undone = c.noted_undone or {}
  c.noted_undone[#c.noted_undone + 1] = undone_digest(tracked.record.recorded, tracked.sequence, tracked.what, tracked.who)
end
