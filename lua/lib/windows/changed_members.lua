-- changed_members: the members of a rolling window whose base boards a batch changed, by how much, and their new sequence numbers;
-- false for one that the base boards must be asked for.
local function changed_members(c, window, current)
  local members, has, deltas, sequences = {}, {}, {}, {}
  for _, period in ipairs(c.period_list) do
    if period.unit == window.unit and next(period.touched) then
      for member, sequence in pairs(period.number > current - window.length and period.touched or {}) do
        if not has[member] then
          has[member], members[#members + 1], deltas[member], sequences[member] = true, member, 0, sequence
        elseif c.indexes.ties then
          sequences[member] = sequence and sequences[member] and math.max(sequence, sequences[member])
        end
        deltas[member] = deltas[member] + period.board.score[member] - period.board.was[member]
      end
    end
  end
  return members, deltas, sequences
end
