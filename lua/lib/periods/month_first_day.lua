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
