-- fading_board: a board of a decaying window as tables.
local function fading_board(c, window, number)
  local board = window.boards[number]
  if not board then
    board = board_of(c, window_key(c.board, window.name, number))
    window.boards[number], board.fading = board, { window = window, number = number }
  end
  return board
end
