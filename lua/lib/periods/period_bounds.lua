-- period_bounds: the instants (seconds) at which a period starts and ends; nil, nil for the period of all time.
local function period_bounds(rows, unit, number, week_starts_on)
  if unit == 'a' then return nil, nil end
  if unit == 'h' then return local_start(rows, 'hour', 3600, number), local_start(rows, 'hour', 3600, number + 1) end
  local _, _, grain = unit_of(unit)
  if grain then return number * grain, (number + 1) * grain end
  local first, after
  if unit == 'd' then
    first, after = number, number + 1
  elseif unit == 'w' then
    first = number * 7 - week_shift(week_starts_on)
    after = first + 7
  elseif unit == 'm' then
    first, after = month_first_day(number), month_first_day(number + 1)
  else
    first, after = month_first_day(number * 12), month_first_day(number * 12 + 12)
  end
  return local_start(rows, 'day', 86400, first), local_start(rows, 'day', 86400, after)
end
