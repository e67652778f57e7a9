-- count_in_period: counts an event on a period's board, in tables, with its indexes. Answers 'counted', 'refused' when the member is
-- new and the board is full, or 'passed' for an undo of what did not count there.
local function count_in_period(c, e, period)
  local batch, sets, hashes = c.batch, c.sets, c.hashes
  local member, delta, tracked = batch.members[e], batch.deltas[e], batch.tracked[e]
  -- Most boards have no indexes, and most events are not tracked.
  if c.is_plain and not tracked then
    local set = period.set
    local old = set.scores[member] or sets.get(set, member)
    if old == 0 and delta ~= 0 and sets.size(set) >= c.max_members then return 'refused' end
    period.touched[member] = true
    sets.put(set, member, round_decimals(old + delta))
    return 'counted'
  end
  local undoes = tracked and tracked.verb == 'u'
  if undoes and not string.find(tracked.units, period.unit, 1, true) then return 'passed' end
  if c.indexes['activity-log'] then
    local hash = hashes.of(period.key .. ':actions')
    if not hashes.get(hash, member) and hashes.size(hash) >= c.max_members then return 'refused' end
    count_action(c, e, period.key, delta, true)
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
  if c.indexes.actions then count_action(c, e, period.key, delta, true) end
  return 'counted'
end
