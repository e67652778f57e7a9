-- civil_month: months since year 0 (year * 12 + month - 1) of a day number (days since 1970-01-01).
-- Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
local function civil_month(day)
  local floor = math.floor
  local z = day + 719468
  local era = floor(z / 146097)
  local doe = z - era * 146097
  local yoe = floor((doe - floor(doe / 1460) + floor(doe / 36524) - floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + floor(yoe / 4) - floor(yoe / 100))
  -- March is month 0 of this calendar's year, so January and February carry into the next one by themselves.
  return (yoe + era * 400) * 12 + floor((5 * doy + 2) / 153) + 2
end
