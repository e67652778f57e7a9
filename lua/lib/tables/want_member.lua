-- want_member: lets load_board read a member of a board.
local function want_member(board, member)
  if board.wanted[member] then return end
  board.wanted[member], board.members[#board.members + 1] = true, member
end
