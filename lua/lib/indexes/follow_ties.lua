-- follow_ties: the sequence number of a member on a period's board after an entry, in tables: of its latest event there that was not
-- undone. A rolling board asks the base boards for what an undo, or a sum of zero, leaves.
local function follow_ties(c, entry, period, new)
  local board, member, tracked = period.board, entry.member, entry.tracked
  local before = board.sequence[member]
  local sequence
  if entry.undoes then
    sequence = sequence_without(c, tracked, period.unit, before)
  else
    if tracked then tracked.before[period.unit] = before end
    -- Late events come in no order.
    sequence = math.max(c.first_sequence + entry.event, before)
  end
  local latest = period.touched[member]
  period.touched[member] = not entry.undoes and new ~= 0 and latest ~= false and math.max(sequence, latest or 0)
  board.sequence[member] = new ~= 0 and sequence or 0
end
