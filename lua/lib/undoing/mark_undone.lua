-- mark_undone: notes that a tracked action was undone, in tables: its record, that it may count once more, and what the journal is to know. Answers
-- its outcome.
local function mark_undone(c, entry, outcome)
  local tracked, record = entry.tracked, entry.tracked.record
  put_field(record.hash, tracked.what, 'undone,' .. record.recorded .. record.names)
  local set, digest = once_mark(c, tracked, tracked.done_at, tracked.who)
  if set and set.has[digest] then put_once(set, digest, false) end
  if c.journal then note_undone(c, tracked) end
  return apply_seq(c, tracked, outcome)
end
