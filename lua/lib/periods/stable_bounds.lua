-- stable_bounds: what period_bounds answers, computed with stable_offset alone. It holds if both lie where the offset is stable.
local function stable_bounds(unit, number, stable_offset, day_starts_at, week_starts_on)
  if unit == 'h' then
    local starts_at = number * 3600 - stable_offset % 3600
    return starts_at, starts_at + 3600
  end
  local first, after = number, number + 1
  if unit == 'w' then
    first = number * 7 - week_shift(week_starts_on)
    after = first + 7
  elseif unit ~= 'd' then
    local months = unit == 'm' and 1 or 12
    first, after = month_first_day(number * months), month_first_day(number * months + months)
  end
  return first * 86400 - stable_offset + day_starts_at, after * 86400 - stable_offset + day_starts_at
end
