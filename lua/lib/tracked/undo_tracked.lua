-- undo_tracked: takes away what a tracked action counted, at its instant. The outcomes besides c: n it was not done, u it was undone
-- before, l it was done too long ago.
local function undo_tracked(c, e)
  -- An action that was reported later than that (milliseconds) cannot be undone, see record.
  local LATEST = 366 * 86400 * 1000
  local batch, hashes, tracked = c.batch, c.hashes, c.batch.tracked[e]
  local record, hash, valid = find_tracked(c, tracked.who, tracked.what, 2)
  if not record then
    local ever = tracked.once == 'a' and hashes.get(hashes.of(once_key(c.board, 'a', 0, tracked.who)), tracked.what)
    return ever and 'l' or 'n'
  end
  local state, recorded, at, counted, took, took_windows, sequence, before =
    string.match(record, '^(%a+),(%d+),?(%d*),?([^,]*),?(%a*),?([^,]*),?(%d*),?([^,]*)$')
  if state == 'undone' then return 'u' end
  if not valid or recorded - at > LATEST then return 'l' end
  tracked.units, tracked.windows, tracked.sequence, tracked.before = took, took_windows, tonumber(sequence), {}
  for units, earlier in string.gmatch(before, '(%a+)(%d+)') do
    for unit in string.gmatch(units, '%a') do
      tracked.before[unit] = tonumber(earlier)
    end
  end
  batch.instants[e], batch.deltas[e] = tonumber(at), -tonumber(counted)
  count_event(c, e)
  hashes.put(hash, tracked.what, 'undone,' .. recorded)
  local mark = once_mark(c, tracked, batch.instants[e], tracked.who)
  if mark and hashes.get(mark, tracked.what) then hashes.put(mark, tracked.what, false) end
  return 'c'
end
