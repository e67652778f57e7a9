-- finish_board: gives a board that a batch made its mark, so that it stays when its last member goes, and it and its indexes their
-- expiry.
local function finish_board(c, board)
  local expiry
  if board.rolls then
    local window, number = unpack(board.rolls)
    expiry = rolling_expiry(rows_of(c), window.unit, number, c.week_starts_on)
  elseif board.fading then
    expiry = decaying_expiry(c, board.fading.window, board.fading.number)
  else
    expiry = expires_at(c, c.periods[board.key].unit, c.periods[board.key].number)
  end
  redis.call('ZADD', board.key, '-inf', board.mark)
  for _, key in pairs(expiry and { board.key, board.made and board.ties_key, board.distinct_key, board.holders_key } or {}) do
    if key then redis.call('EXPIREAT', key, expiry) end
  end
end
