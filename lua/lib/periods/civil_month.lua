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
