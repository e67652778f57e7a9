-- reset_bounds: when a period that is reset begins and ends (seconds); nil for all time.
local function reset_bounds(c, unit, number)
  if unit == 's' then return season_bounds(c.zone, number) end
  return period_bounds(c.clock.rows, unit, number, c.week_starts_on)
end
