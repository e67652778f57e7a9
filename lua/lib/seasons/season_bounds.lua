-- season_bounds: when a season begins and ends (seconds), and the number of the one before it, if any; nil when there is no such season.
local function season_bounds(zone, number)
  local before, from
  for start, at in string.gmatch(zone, ';([%d-]+)=(-?%d+)') do
    if from then return from, tonumber(at), before end
    start = tonumber(start)
    if start == number then
      from = tonumber(at)
    else
      before = start or before
    end
  end
end
