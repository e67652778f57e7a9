-- want_members: lets load_board read the members of a list; most boards share the list of their group.
local function want_members(board, members, has)
  if board.members == members then return end
  if #board.members == 0 then
    board.members, board.wanted, board.is_shared = members, has, true
    return
  end
  own_members(board)
  for i = 1, #members do
    want_member(board, members[i])
  end
end
