-- periods_back: how many periods before the current one something of a unit may be that is kept for so long (seconds) after its end;
-- 0 keeps it for ever.
local function periods_back(unit, kept, current_year)
  -- No period of a unit is shorter, in seconds.
  local SHORTEST = { h = 1800, d = 82800, w = 6 * 86400, m = 27 * 86400, y = 364 * 86400 }
  if unit == 'a' then return 0 end
  if unit == 'y' and kept == 0 then return current_year - 1970 end
  return math.ceil(kept / SHORTEST[unit]) + 1
end
