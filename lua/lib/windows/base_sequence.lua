-- base_sequence: the greatest sequence number of a member on `length` base boards, the last of which is `last`, in tables.
local function base_sequence(c, unit, length, last, member)
  local greatest = 0
  for number = last - length + 1, last do
    local _, sequence = c.sets.get(c.sets.of(period_key(c.board, unit, number)), member)
    greatest = math.max(greatest, sequence)
  end
  return greatest
end
