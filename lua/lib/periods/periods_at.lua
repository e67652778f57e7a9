-- periods_at: the periods of a board that hold an instant (milliseconds), in the order of its units. `kept` tells that its board
-- does not expire by now.
local function periods_at(c, at)
  if at >= c.same_from and c.current_periods then return c.current_periods end
  local hour, day = c.hour_and_day(at)
  local name = hour .. ':' .. day
  if at >= c.same_from then c.current_periods = c.periods[name] end
  if c.periods[name] then return c.periods[name] end
  local is_now, periods = hour == c.hour and day == c.day, {}
  for i = 1, #c.units do
    local unit, kept_for = c.units[i], c.retention[i]
    local number = period_number(unit, hour, day, c.week_starts_on)
    local key = period_key(c.board, unit, number)
    -- Instants of different hours share a day.
    local period = c.periods[key] or { unit = unit, number = number, key = key, kept = true, refused = 0, touched = {} }
    if kept_for > 0 and not is_now and not c.periods[key] then
      local _, ends_at = period_bounds(c.rows(), unit, number, c.week_starts_on)
      period.kept = not ends_at or ends_at + kept_for > c.now
    end
    if period.kept then period.set = c.sets.of(key) end
    period.retention = kept_for
    if not c.periods[key] then c.all_periods[#c.all_periods + 1] = period end
    c.periods[key], periods[i] = period, period
  end
  c.periods[name] = periods
  return periods
end
