-- calendar: the arithmetic of days, weeks, months and years.

-- read_time: what TIME said, as seconds, milliseconds and, as a text, microseconds: Redis takes a text for a fraction of what a number of 16 digits costs.
local function read_time(time)
  local now, us = time[1] + 0, time[2] + 0
  return now, now * 1000 + (us - us % 1000) / 1000, #time[2] == 6 and time[1] .. time[2] or string.format('%d', now * 1000000 + us)
end

-- week_shift: what to add to a day number before dividing by 7, so that weeks start on the given weekday (0 = Monday).
-- Day 0, 1970-01-01, is a Thursday.
local function week_shift(week_starts_on) return (3 - week_starts_on) % 7 end

-- civil_month: months since year 0 (year * 12 + month - 1) of a day number (days since 1970-01-01).
-- Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days; (a - a % b) / b is a divided by
-- b and rounded down, without a call.
local function civil_month(day)
  local z = day + 719468
  local doe = z % 146097
  local years = doe - (doe - doe % 1460) / 1460 + (doe - doe % 36524) / 36524 - (doe - doe % 146096) / 146096
  local yoe = (years - years % 365) / 365
  local doy = doe - (365 * yoe + (yoe - yoe % 4) / 4 - (yoe - yoe % 100) / 100)
  local fifths = 5 * doy + 2
  -- March is month 0 of this calendar's year, so January and February carry into the next one by themselves.
  return (yoe + (z - doe) / 146097 * 400) * 12 + (fifths - fifths % 153) / 153 + 2
end

-- month_first_day: day number (days since 1970-01-01) of the first day of a month (year * 12 + month - 1).
-- Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
local function month_first_day(month)
  local floor = math.floor
  local march_month = month - 2
  local year = floor(march_month / 12)
  local era = floor(year / 400)
  local yoe = year - era * 400
  local doy = floor((153 * (march_month - year * 12) + 2) / 5)
  return era * 146097 + yoe * 365 + floor(yoe / 4) - floor(yoe / 100) + doy - 719468
end

-- UNITS: what unit_of tells. There is no math while a library is loaded.
local UNITS = {
  h = { 'hour', 1800 },
  d = { 'day', 82800 },
  w = { 'week', 6 * 86400 },
  m = { 'month', 27 * 86400 },
  y = { 'year', 364 * 86400 },
  a = { 'all', 1 / 0 },
  s = { 'season', 3600 },
  i = { 'minute', 60, 60 },
  j = { '5-minutes', 300, 300 },
  k = { '10-minutes', 600, 600 },
}

-- unit_of: what is known of a unit (a letter): its name in keys, and the seconds that none of its periods is shorter than; nil for a letter
-- that stands for none. Of a unit whose periods are all of so many seconds of UTC, a grain, also these.
local function unit_of(unit)
  local known = UNITS[unit]
  if known then return known[1], known[2], known[3] end
end

-- period_number: the number of the period of a unit (a letter of "hdwmya") that holds a time, a table with its local `hour` and `day`,
-- its `second` and the `zone`: a clock, a call or what local_time answers. Hours, days and grains count from 1970; months are year * 12 + month - 1;
-- years are the year; all is 0. A season is known by its local start, see season_at; nil where the time is of none.
local function period_number(unit, time, week_starts_on)
  if unit == 'h' then return time.hour end
  local day = time.day
  if unit == 'd' then return day end
  if unit == 'a' then return 0 end
  if unit == 'w' then
    local shifted = day + week_shift(week_starts_on)
    return (shifted - shifted % 7) / 7
  end
  if unit == 's' then return (season_at(time.zone, time.second)) end
  local _, _, grain = unit_of(unit)
  if grain then return (time.second - time.second % grain) / grain end
  local month = civil_month(day)
  return unit == 'm' and month or (month - month % 12) / 12
end
