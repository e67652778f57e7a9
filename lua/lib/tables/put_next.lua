-- put_next: gives the only member of a batch its score on the next board of a rolling window, and there and on the board of now its
-- place in the order of ties. What was there before is for take_back.
local function put_next(c, window, board, now, leaving, coming)
  local call, ties = redis.call, c.indexes.ties
  local before = round_decimals(now.was[1] - (leaving and leaving.was[1] or 0) + (coming and coming.was[1] or 0))
  local name, score, added = c.batch.names[1], board.score[1], 0
  if score == 0 then
    call('ZREM', board.key, name)
  else
    added = call('ZADD', board.key, score_arg(score), name)
  end
  local last = #c.put
  c.put[last + 1], c.put[last + 2] = board.key, added == 0 and before ~= 0 and before
  board.was[1], board.marked = score, added == 0 or call('ZSCORE', board.key, '\0') and true
  if not ties then return end
  put_place(c, window, now, now.was[1])
  if added == 1 then
    board.ties_key = index_key(board.key, ties, c.index_generation)
    board.has_ties = call('ZSCORE', board.ties_key, '\0') and true
  else
    put_place(c, window, board, before)
  end
end
