-- store_distinct: writes the distinct scores of a board, and how many members hold each.
local function store_distinct(board)
  local call, come, gone = redis.call, board.distinct_come, board.distinct_gone
  if board.made then
    come[#come + 1], come[#come + 2] = '-inf', '\0'
  end
  if #come > 0 then call('ZADD', board.distinct_key, unpack(come)) end
  if #gone > 0 then call('ZREM', board.distinct_key, unpack(gone)) end
  if #board.holders > 0 then call('HSET', board.holders_key, unpack(board.holders)) end
  if #board.holders_gone > 0 then call('HDEL', board.holders_key, unpack(board.holders_gone)) end
end
