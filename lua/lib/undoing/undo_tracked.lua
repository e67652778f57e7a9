-- undo_tracked: takes away what a tracked action counted, at its instant. Its outcome where it cannot is that of find_done, and b where a
-- reset took all of it before: it was undone all the same, so its id stays, and coming again it undoes nothing that was done since.
local function undo_tracked(c, entry)
  local refusal = find_done(c, entry)
  if refusal then return apply_seq(c, entry.tracked, refusal) end
  want_done(c, entry)
  local outcome = count_entry(c, entry)
  if outcome == 'b' then
    c.batch.answered = c.batch.answered or {}
    c.batch.answered[entry.event] = true
  end
  return mark_undone(c, entry, outcome == 'b' and 'b' or 'c')
end
