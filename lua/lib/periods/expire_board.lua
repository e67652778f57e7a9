-- expire_board: gives a board and its indexes an expiry (seconds).
local function expire_board(indexes, key, at)
  redis.call('EXPIREAT', key, at)
  if indexes then
    if indexes.ties then redis.call('EXPIREAT', key .. ':' .. indexes.ties, at) end
    if indexes.dense then redis.call('EXPIREAT', key .. ':scores', at) end
    if indexes.actions then redis.call('EXPIREAT', key .. ':actions', at) end
  end
end
