-- week_shift: what to add to a day number before dividing by 7, so that weeks start on the given weekday (0 = Monday).
-- Day 0, 1970-01-01, is a Thursday.
local function week_shift(week_starts_on) return (3 - week_starts_on) % 7 end
