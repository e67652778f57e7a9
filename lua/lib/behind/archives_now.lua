-- archives_now: whether a current period of a call's target was archived, as it is by a clock that went back since. Its events are then counted in tables.
local function archives_now(c)
  for unit in string.gmatch(c.units, '.') do
    local current = period_number(unit, c, c.week_starts_on)
    if current and is_archived('', c.begun, unit, current) then return true end
  end
  return false
end
