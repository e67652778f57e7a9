-- count_in_period: counts an event on a period's board, in tables, with its indexes. Answers 'counted', 'refused' when the member is
-- new and the board is full, or 'passed' for an undo of what did not count there.
-- @include round_decimals sequence_without tally
local function count_in_period(c, e, period)
  local batch, sets, hashes = c.batch, c.sets, c.hashes
  local member, delta, tracked = batch.members[e], batch.deltas[e], batch.tracked[e]
  local undoes = tracked and tracked.verb == 'u'
  if undoes and not string.find(tracked.units, period.unit, 1, true) then return 'passed' end
  local function count_action()
    local hash = hashes.of(period.key .. ':actions')
    hashes.put(hash, member, tally(hashes.get(hash, member), batch.actions[e], undoes and -1 or 1, delta, true))
  end
  if c.indexes['activity-log'] then
    local hash = hashes.of(period.key .. ':actions')
    if not hashes.get(hash, member) and hashes.size(hash) >= c.max_members then return 'refused' end
    count_action()
    return 'counted'
  end

  local set = period.set
  local old, before = sets.get(set, member)
  if old == 0 and delta ~= 0 and not undoes and sets.size(set) >= c.max_members then return 'refused' end
  local new, sequence = round_decimals(old + delta), nil
  if c.indexes.ties then
    if undoes then
      sequence = sequence_without(c, tracked, period.unit, before)
    else
      if tracked then tracked.before[period.unit] = before end
      -- Late events come in no order.
      sequence = math.max(c.first_sequence + e, before)
    end
    -- A rolling board asks the base boards for what an undo, or a sum of zero, leaves.
    local latest = period.touched[member]
    period.touched[member] = not undoes and new ~= 0 and latest ~= false and math.max(sequence, latest or 0)
  else
    period.touched[member] = true
  end
  sets.put(set, member, new, sequence)
  if c.indexes.actions then count_action() end
  return 'counted'
end
