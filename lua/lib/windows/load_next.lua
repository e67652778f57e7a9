-- load_next: reads of a rolling window's next board what assigning scores needs: whether it is there, and the scores only where
-- indexes follow them; nothing of one that put_next writes.
local function load_next(c, board, members, is_put)
  want_members(board, members)
  if is_put then return end
  if c.has_indexes then return load_board(c, board) end
  board.marked = redis.call('ZSCORE', board.key, '\0') and true
end
