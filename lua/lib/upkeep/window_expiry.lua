-- window_expiry: when the board of a rolling window's period expires (seconds): it is kept through the next period, which is compared
-- with it, and for an hour more.
local function window_expiry(c, number)
  local _, ends_at = period_bounds(c.clock.rows, c.unit, number + 1, c.week_starts_on)
  return ends_at + 3600
end
