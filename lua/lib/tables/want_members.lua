-- want_members: lets load_board read the members of a list.
local function want_members(board, members)
  for i = 1, #members do
    want_member(board, members[i])
  end
end
