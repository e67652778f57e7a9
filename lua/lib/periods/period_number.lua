-- period_number: the number of the period of a unit (a letter of "hdwmya") that holds a local hour and day.
-- Hours and days count from 1970; months are year * 12 + month - 1; years are the year; all is 0.
local function period_number(unit, hour, day, week_starts_on)
  if unit == 'h' then return hour end
  if unit == 'd' then return day end
  if unit == 'a' then return 0 end
  if unit == 'w' then
    local shifted = day + week_shift(week_starts_on)
    return (shifted - shifted % 7) / 7
  end
  local month = civil_month(day)
  return unit == 'm' and month or (month - month % 12) / 12
end
