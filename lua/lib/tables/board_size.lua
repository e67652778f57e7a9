-- board_size: how many members a board has, with what was counted in tables.
local function board_size(board)
  if not board.size then board.size = redis.call('ZCOUNT', board.key, '(-inf', '+inf') end
  return board.size + board.growth
end
