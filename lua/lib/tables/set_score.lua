-- set_score: gives a member its score on a board, in tables. A board keeps no zeros.
local function set_score(board, member, score)
  local old = board.score[member]
  if old == 0 and score ~= 0 then
    board.growth = board.growth + 1
  elseif old ~= 0 and score == 0 then
    board.growth = board.growth - 1
  end
  board.score[member] = score
  if score ~= old or board.sequence then board.is_changed = true end
end
