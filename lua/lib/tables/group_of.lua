-- group_of: the periods of a target that hold an instant (milliseconds), and the members that count in them: instants of one hour, day,
-- grain and season share them. A period has its unit, number, key and board; it is `kept` while its board does not expire.
local function group_of(c, at)
  if at >= c.same_from and c.current_group then return c.current_group end
  local time = local_time(c, at)
  local season = c.season_until and season_at(c.zone, time.second) or ''
  local name = table.concat({ time.hour, time.day, c.finest and math.floor(time.second / c.finest) or '', season }, ':')
  local group = c.groups[name]
  if not group then
    group = { periods = {}, members = {}, has = {} }
    for unit in string.gmatch(c.units, '.') do
      group.periods[#group.periods + 1] = period_of(c, unit, time)
    end
    c.groups[name], c.group_list[#c.group_list + 1] = group, group
  end
  if at >= c.same_from then c.current_group = group end
  return group
end
