-- expire_window: gives a board of a rolling window its expiry. It is kept through the period after its own, which compares with it,
-- and an hour.
-- @include expire_with period_bounds window_key
local function expire_window(rows, board, name, unit, number, week_starts_on, beside)
  local _, ends_at = period_bounds(rows, unit, number + 1, week_starts_on)
  expire_with(beside, window_key(board, name, number), ends_at + 3600)
end
