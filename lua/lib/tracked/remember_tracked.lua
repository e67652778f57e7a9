-- remember_tracked: the record of a reversible action that was counted: when it was recorded and happened, what it added, the units and
-- decaying windows that took it, its sequence number and those of the member before it, by units; in the activity log also its action and
-- item, each on a line.
local function remember_tracked(c, entry, who)
  local tracked, batch = entry.tracked, c.batch
  local bucket, ends_at, is_old = use_bucket(c)
  -- Most units have the same number, so each is written once, after its units.
  local units_of, before = {}, {}
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local sequence = tracked.before[unit] or 0
    if sequence ~= 0 then units_of[sequence] = (units_of[sequence] or '') .. unit end
  end
  for sequence, units in pairs(units_of) do
    before[#before + 1] = units .. string.format('%d', sequence)
  end
  local at, delta = batch.instants[entry.event], batch.deltas[entry.event]
  local counted = string.format('%d,%d,%.17g,%s,%s', c.now_ms, at, delta, tracked.took, tracked.took_windows)
  local sequence = c.first_sequence and c.first_sequence + entry.event or 0
  local hash = hash_of(c, tracked_key(c.board, bucket, who))
  -- A record that a clock which was ahead left in a later bucket would be found first.
  for _, later in ipairs(tracked_buckets(c, 1)) do
    if later > bucket then put_field(hash_of(c, tracked_key(c.board, later, who)), tracked.what, false) end
  end
  local names = tracked.item and '\n' .. batch.actions[entry.event] .. '\n' .. tracked.item or ''
  put_field(hash, tracked.what, string.format('done,%s,%d,%s', counted, sequence, table.concat(before)) .. names)
  keep_until(hash, ends_at + 2 * c.actor_history, is_old)
end
