-- break_holding: unmarks the rolling windows of a unit that hold a period now, see break_window, but for one, if any.
local function break_holding(c, unit, number, but)
  local current = period_number(unit, c.clock, c.week_starts_on)
  for name, of, length in string.gmatch(c.rolling, '([^:%s]+):(%a):(%d+)') do
    if of == unit and name ~= but and number > current - tonumber(length) then break_window(c.board, c.clock, name, current) end
  end
end
