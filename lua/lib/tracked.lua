-- tracked: doing and undoing the tracked events of a batch.
-- @use entries, hashes, once, records, tracked_hashes, undoing, undone

-- do_tracked: counts a tracked action, unless it was done before: its outcome is then that of find_undone.
local function do_tracked(c, entry)
  local refusal, tracked = find_undone(c, entry), entry.tracked
  if refusal then return apply_seq(c, tracked, refusal) end
  tracked.took, tracked.took_windows, tracked.before = '', tracked.set and ' o=' .. tracked.once .. ' ' or ' ', {}
  local outcome = count_entry(c, entry)
  return outcome == 'c' and mark_done(c, entry) or outcome
end

-- take_out: takes a noted event back, in tables, and forgets what is remembered of it: so its action can be done anew.
local function take_out(c, entry)
  local noted = entry.tracked
  entry.undoes = true
  want_recorded(c, entry)
  count_entry(c, entry)
  if noted.verb == 'r' then
    local record, hash = find_tracked(c, noted.who, noted.what, 2)
    if record and string.match(record, '^done,(%d+)') == noted.recorded then put_field(hash, noted.what, false) end
  end
  local set, digest = once_mark(c, noted, noted.at, noted.who)
  if set and set.has[digest] then set.has[digest] = false end
  return 'c'
end

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
