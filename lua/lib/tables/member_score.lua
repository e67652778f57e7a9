-- member_score: a member's score on a board, as counted in tables.
local function member_score(c, board, member)
  local score = board.score[member]
  if score then return score end
  want_member(board, member)
  load_board(c, board)
  return board.score[member]
end
