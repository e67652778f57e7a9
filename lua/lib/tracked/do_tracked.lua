-- do_tracked: counts a tracked action, unless it was done before: its outcome is then s.
local function do_tracked(c, e)
  local batch, hashes, tracked = c.batch, c.hashes, c.batch.tracked[e]
  local at, what = batch.instants[e], tracked.what
  local who = name_visitor(c, tracked, at)
  if tracked.verb == 'r' then
    local record, _, valid = find_tracked(c, who, what, 1)
    if record and valid and string.sub(record, 1, 5) == 'done,' then return 's' end
  end
  local mark, expiry = once_mark(c, tracked, at, who)
  if mark and hashes.get(mark, what) then return 's' end
  tracked.took, tracked.took_windows, tracked.before = '', ' ', {}
  local outcome = count_event(c, e)
  if outcome ~= 'c' then return outcome end
  if mark then
    hashes.put(mark, what, '')
    if expiry then c.keep(mark.key, expiry) end
  end
  if tracked.verb == 'r' then
    local bucket, ends_at = bucket_of(c.now)
    local key = tracked_key(c.board, bucket, who)
    -- Most units have the same number, so each is written once, after its units.
    local units_of, before = {}, {}
    for _, unit in ipairs(c.units) do
      local sequence = tracked.before[unit] or 0
      if sequence ~= 0 then units_of[sequence] = (units_of[sequence] or '') .. unit end
    end
    for sequence, units in pairs(units_of) do
      before[#before + 1] = units .. string.format('%d', sequence)
    end
    local counted = string.format('%d,%d,%.17g,%s,%s', c.now_ms, at, batch.deltas[e], tracked.took, tracked.took_windows)
    local sequence = c.first_sequence and c.first_sequence + e or 0
    hashes.put(hashes.of(key), what, string.format('done,%s,%d,%s', counted, sequence, table.concat(before)))
    c.keep(key, ends_at + 2 * c.actor_history)
  end
  return 'c'
end
