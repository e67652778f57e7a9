-- period_numbers: for each letter of `units` (h d w m y a) the number of the period that holds a local hour and day.
-- Hours and days count from 1970; months are year * 12 + month - 1; years are the year; all is 0.
-- @include civil_month week_shift
local function period_numbers(units, hour, day, week_starts_on)
  local numbers, month = {}, nil
  for i = 1, #units do
    local unit = string.sub(units, i, i)
    if unit == 'h' then
      numbers[i] = hour
    elseif unit == 'd' then
      numbers[i] = day
    elseif unit == 'w' then
      numbers[i] = math.floor((day + week_shift(week_starts_on)) / 7)
    elseif unit == 'a' then
      numbers[i] = 0
    else
      month = month or civil_month(day)
      numbers[i] = unit == 'm' and month or math.floor(month / 12)
    end
  end
  return numbers
end
