-- expire_window: gives a board of a rolling window its expiry. It is kept through the next period, which is compared with it,
-- and for an hour more.
local function expire_window(rows, board, name, unit, number, week_starts_on, indexes)
  local _, ends_at = period_bounds(rows, unit, number + 1, week_starts_on)
  expire_board(indexes, window_key(board, name, number), ends_at + 3600)
end
