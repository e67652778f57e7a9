-- periods_back: how many periods before the current one something of a unit may be that is kept for so long (seconds) after its end;
-- 0 keeps it for ever.
local function periods_back(unit, kept, current_year)
  if unit == 'a' then return 0 end
  if unit == 'y' and kept == 0 then return current_year - 1970 end
  -- The offsets of a zone shorten hours by an hour at most, however many there are.
  if unit == 'h' then return math.ceil(kept / 3600) + 2 end
  local _, shortest = unit_of(unit)
  return math.ceil(kept / shortest) + 1
end
