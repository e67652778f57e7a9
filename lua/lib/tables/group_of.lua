-- group_of: the periods of a target that hold an instant (milliseconds), and the members that count in them: instants of one hour, day
-- and grain share them. A period has its unit, number, key and board; it is `kept` while its board does not expire.
local function group_of(c, at)
  if at >= c.same_from and c.current_group then return c.current_group end
  local time = local_time(c, at)
  local name = time.hour .. ':' .. time.day .. ':' .. (c.finest and math.floor(time.second / c.finest) or '')
  local group = c.groups[name]
  if not group then
    group = { periods = {}, members = {}, has = {} }
    for i = 1, #c.units do
      group.periods[i] = period_of(c, string.sub(c.units, i, i), time)
    end
    c.groups[name], c.group_list[#c.group_list + 1] = group, group
  end
  if at >= c.same_from then c.current_group = group end
  return group
end
