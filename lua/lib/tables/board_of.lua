-- board_of: a sorted set as tables, by the numbers of a batch's members. `mark` is a member that is asked for with them: `marked`
-- tells after load_board whether it was there.
local function board_of(c, key, mark)
  local board = c.boards[key]
  if not board then
    board = { key = key, mark = mark or '\0', members = {}, wanted = {}, was = {}, score = {}, growth = 0 }
    c.boards[key], c.board_list[#c.board_list + 1] = board, board
    if c.indexes.ties then
      board.sequence, board.sequence_was = {}, {}
    end
  end
  return board
end
