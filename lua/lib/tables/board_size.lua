-- board_size: how many members a board has, with what was counted in tables.
local function board_size(board)
  if not board.size then
    board.size = redis.call('ZCOUNT', board.key, '(-inf', '+inf')
    if board.stored and board.was[1] == 0 then board.size = board.size - 1 end
  end
  return board.size + board.growth
end
