-- season_at: the season that holds an instant (seconds), by the seasons behind a zone, ";start=instant … ;-=instant", see
-- lua/fields/calendar.lua. Answers its number, and when it begins and ends (seconds); of the time between two seasons or around all of them
-- no number, and when that begins and ends.
local function season_at(zone, second)
  local number, from
  for start, at in string.gmatch(zone, ';([%d-]+)=(-?%d+)') do
    at = tonumber(at)
    if at > second then return number, from or -math.huge, at end
    number, from = tonumber(start), at
  end
  return number, from or -math.huge, math.huge
end
