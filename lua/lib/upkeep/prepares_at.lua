-- prepares_at: when the board of the period after `number` is to be prepared (seconds): a tenth of the period before it begins, but
-- at least ten minutes and at most three hours, and not before the period itself begins. Before that it would only be kept up to date
-- for longer.
local function prepares_at(c, number)
  local starts_at, ends_at = period_bounds(c.clock.rows, c.unit, number, c.week_starts_on)
  return math.max(starts_at, ends_at - math.max(600, math.min(10800, (ends_at - starts_at) / 10)))
end
