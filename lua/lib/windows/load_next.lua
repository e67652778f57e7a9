-- load_next: reads of a rolling window's next board what assigning scores needs: whether it is there, and the scores only where
-- indexes follow them.
local function load_next(c, board, members)
  want_members(board, members)
  if c.has_indexes then return load_board(c, board) end
  board.marked = redis.call('ZSCORE', board.key, '\0') and true
end
