-- step_at: the number of the step of a step window that holds an instant (milliseconds).
local function step_at(c, window, at)
  local hour, day = hour_and_day(c, at)
  return period_number(window.unit, hour, day, c.week_starts_on)
end
