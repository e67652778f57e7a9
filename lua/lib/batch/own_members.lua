-- own_members: gives a board that shares a list of members its own.
local function own_members(board)
  if not board.is_shared then return end
  local members, wanted = {}, {}
  for i = 1, #board.members do
    members[i], wanted[board.members[i]] = board.members[i], true
  end
  board.members, board.wanted, board.is_shared = members, wanted, false
end
