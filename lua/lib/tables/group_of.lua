-- group_of: the periods of a target that hold an instant (milliseconds), and the members that count in them: instants of one hour and
-- day share them. A period has its unit, number, key and board; it is `kept` while its board does not expire.
local function group_of(c, at)
  if at >= c.same_from and c.current_group then return c.current_group end
  local hour, day = hour_and_day(c, at)
  local name = hour .. ':' .. day
  local group = c.groups[name]
  if not group then
    group = { periods = {}, members = {}, has = {} }
    for i = 1, #c.units do
      group.periods[i] = period_of(c, string.sub(c.units, i, i), hour, day)
    end
    c.groups[name], c.group_list[#c.group_list + 1] = group, group
  end
  if at >= c.same_from then c.current_group = group end
  return group
end
