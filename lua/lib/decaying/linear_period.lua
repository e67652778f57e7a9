-- linear_period: the number, start and end (seconds) of the time between two resets that holds second t. rows are the zone's,
-- with days that start at the time of the reset.
local function linear_period(rows, unit, week_starts_on, t)
  local time = { hour = local_count(rows, 'hour', 3600, t), day = local_count(rows, 'day', 86400, t), second = t }
  local number = period_number(unit, time, week_starts_on)
  return number, period_bounds(rows, unit, number, week_starts_on)
end
