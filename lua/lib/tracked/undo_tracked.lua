-- undo_tracked: takes away what a tracked action counted, at its instant. Its outcome where it cannot is that of find_done, and b where a
-- reset took all of it before: it was undone all the same, so its id stays, and coming again it undoes nothing that was done since.
local function undo_tracked(c, entry)
  local refusal = find_done(c, entry)
  if refusal then return apply_seq(c, entry.tracked, refusal) end
  local tracked, record = entry.tracked, entry.tracked.record
  local outcome = count_entry(c, entry)
  if outcome == 'b' then
    c.batch.answered = c.batch.answered or {}
    c.batch.answered[entry.event] = true
  end
  put_field(record.hash, tracked.what, 'undone,' .. record.recorded .. record.names)
  local set, digest = once_mark(c, tracked, tracked.done_at, tracked.who)
  if set and set.has[digest] then put_once(set, digest, false) end
  if c.journal then note_undone(c, tracked) end
  return apply_seq(c, tracked, outcome == 'b' and 'b' or 'c')
end
