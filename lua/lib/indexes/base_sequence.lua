-- base_sequence: the greatest sequence number of a member on `length` base boards of a rolling window, the last of which is `last`, in
-- tables.
local function base_sequence(c, window, length, last, member)
  local greatest = 0
  for number = last - length + 1, last do
    local base = base_board(c, window, number)
    if base then
      member_score(c, base, member)
      greatest = math.max(greatest, base.sequence[member])
    end
  end
  return greatest
end
