-- add_sums: adds sums by member to a board of a period, in tables.
local function add_sums(board, members, sums)
  local score, round = board.score, round_decimals
  for i = 1, #members do
    local member = members[i]
    local new = score[member] + sums[member]
    score[member] = new % 1 == 0 and new or round(new)
  end
  board.is_changed = true
end
