-- season_numbers: the numbers of the seasons behind a zone that begin before an instant (seconds), in their order.
local function season_numbers(zone, before)
  local numbers = {}
  for start, at in string.gmatch(zone, ';(%d+)=(-?%d+)') do
    if tonumber(at) <= before then numbers[#numbers + 1] = tonumber(start) end
  end
  return numbers
end
