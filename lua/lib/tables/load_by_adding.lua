-- load_by_adding: reads the score of the only member of a batch on a board by adding what the batch is expected to add. store_board
-- writes what comes out instead; where the call fails, take_back does.
local function load_by_adding(c, board)
  local call, name, delta = redis.call, c.batch.names[1], board.adds
  local sum = tonumber(call('ZINCRBY', board.key, string.format('%.0f', delta), name))
  local was = round_decimals(sum - delta)
  local last = #c.put
  c.put[last + 1], c.put[last + 2] = board.key, was ~= 0 and was
  board.stored, board.loaded, board.was[1], board.score[1] = sum, 1, was, was
  if c.indexes.ties then load_ties(c, board, 0, { board.mark, name }) end
  -- A board on which somebody has points was made before, and layout 1 marked none.
  board.marked = was ~= 0 and board.has_ties ~= 'old' or call('ZSCORE', board.key, board.mark) and true
end
