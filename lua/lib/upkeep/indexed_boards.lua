-- indexed_boards: the keys of the boards that may have an index of distinct scores: those of calendar periods, and the current and
-- next ones of rolling windows.
local function indexed_boards(c)
  local keys, clock = {}, c.clock
  local function current_of(unit) return period_number(unit, clock, c.week_starts_on) end
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local kept = tonumber(string.sub(c.retention, i * 10 - 9, i * 10))
    if unit == 's' then
      for _, number in ipairs(season_numbers(clock.zone, math.huge)) do
        keys[#keys + 1] = period_key(c.board, unit, number)
      end
    else
      for number = current_of(unit), current_of(unit) - periods_back(unit, kept, current_of('y')), -1 do
        keys[#keys + 1] = period_key(c.board, unit, number)
      end
    end
  end
  for window, unit in string.gmatch(c.rolling, '([^:%s]+):(%a):%d+') do
    keys[#keys + 1] = window_key(c.board, window, current_of(unit))
    keys[#keys + 1] = window_key(c.board, window, current_of(unit) + 1)
  end
  return keys
end
