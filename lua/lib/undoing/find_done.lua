-- find_done: finds what an undo takes away, as its record tells. Answers the outcome of an undo that changes nothing: n it was not done, u it was
-- undone before, l it was done too long ago, p something newer was applied.
local function find_done(c, entry)
  -- An action that was reported later than that (milliseconds) cannot be undone, see want_tracked.
  local LATEST, tracked, e = 366 * 86400 * 1000, entry.tracked, entry.event
  if tracked.seq and is_superseded(c, tracked) then return 'p' end
  local record, hash, valid = find_tracked(c, tracked.who, tracked.what, 2)
  if not record or is_moved_since(c, entry, record) then
    local set, digest = once_mark(c, { once = tracked.once == 'a' and 'a' or '-', what = tracked.what }, 0, tracked.who)
    return set and set.has[digest] and 'l' or 'n'
  end
  local state, recorded, at, counted, took, took_windows, sequence, before, names =
    string.match(record, '^(%a+),(%d+),?(%d*),?([^,\n]*),?(%a*),?([^,\n]*),?(%d*),?([^,\n]*)(.*)$')
  if state == 'undone' then return 'u' end
  if not valid or recorded - at > LATEST then return 'l' end
  tracked.units, tracked.windows, tracked.sequence, tracked.before = took, took_windows, tonumber(sequence), read_before(before)
  -- What was undone is still told with its instant, where it has names.
  tracked.record = { hash = hash, recorded = recorded, names = names ~= '' and ',' .. at .. names or '' }
  local delta, times = delta_and_times(counted)
  tracked.done_at, c.batch.instants[e], c.batch.deltas[e], entry.times = tonumber(at), tonumber(at), -delta, times
  entry.delta, entry.undoes = c.batch.deltas[e], true
  tracked.once = string.match(took_windows, ' o=(%a) ') or tracked.once
end
