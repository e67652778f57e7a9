-- base_sequence: the greatest sequence number of a member on `length` base boards of a rolling window, the last of which is `last`, in
-- tables.
local function base_sequence(c, window, length, last, member)
  local greatest = 0
  for number = last - length + 1, last do
    local base = base_board(c, window, number)
    if base then greatest = math.max(greatest, base.sequence[member] or read_sequence(c, base, member)) end
  end
  return greatest
end
