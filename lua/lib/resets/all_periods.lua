-- all_periods: the units with how many of their last periods a reset of all windows takes, of this configuration (`own`, "a:1 d:7") and of those
-- that the state tells of. Seasons have bounds that only their configuration knows.
local function all_periods(c, own)
  local state, counts, units = c.clock.state, {}, {}
  local function add(unit, count)
    if unit == 's' and not string.find(own, 's:', 1, true) then return end
    if not counts[unit] then units[#units + 1] = unit end
    counts[unit] = math.max(counts[unit] or 0, count)
  end
  for unit, count in string.gmatch(own, '(%a):(%d+)') do
    add(unit, tonumber(count))
  end
  local counted = state.counts or ''
  for unit in string.gmatch(string.match(counted, '^%a*'), '%a') do
    add(unit, 1)
  end
  for unit in string.gmatch(' ' .. (state.others or ''), ' (%a):%d') do
    add(unit, 1)
  end
  for unit, count in string.gmatch(counted, ' [^:%s]+:(%a):(%d+)') do
    add(unit, tonumber(count))
  end
  table.sort(units)
  for i, unit in ipairs(units) do
    units[i] = string.format('%s:%d', unit, counts[unit])
  end
  return table.concat(units, ' ')
end
