-- rolling_expiry: when the board of a rolling window's period expires (seconds). It is kept through the next period, which is compared
-- with it, and for an hour more; where it is made of minutes, for two.
local function rolling_expiry(rows, unit, number, week_starts_on)
  local _, _, grain = unit_of(unit)
  local _, ends_at = period_bounds(rows, unit, number + 1, week_starts_on)
  return ends_at + (grain and 120 or 3600)
end
