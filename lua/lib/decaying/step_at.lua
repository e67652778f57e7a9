-- step_at: the number of the step of a step window that holds an instant (milliseconds).
local function step_at(c, window, at) return period_number(window.unit, local_time(c, at), c.week_starts_on) end
