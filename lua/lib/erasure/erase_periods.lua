-- erase_periods: removes the actor that is erased from some more periods of a unit. When those are done, the rolling windows made of
-- them follow. Answers the place to go on from, "unit's number:periods back"; nil when none is left.
local function erase_periods(c, place)
  local at, back = string.match(place, '^(%d+):(%d+)$')
  at, back = tonumber(at), tonumber(back)
  if at > #c.units then return nil end
  local clock, unit = c.clock, string.sub(c.units, at, at)
  local function current_of(of) return period_number(of, clock.hour, clock.day, c.week_starts_on) end
  local current, kept = current_of(unit), tonumber(string.sub(c.retention, at * 10 - 9, at * 10))
  local reach = periods_back(unit, kept, current_of('y'))
  local last = math.min(back + c.periods - 1, reach)
  for number = current - back, current - last, -1 do
    drop_member(c, period_key(c.board, unit, number))
    for window in string.gmatch(c.rolling, '([^:%s]+):' .. unit .. ':') do
      drop_member(c, past_key(c.board, window, number))
    end
  end
  if last < reach then return at .. ':' .. last + 1 end
  c.unit, c.current = unit, current
  for window, length in string.gmatch(c.rolling, '([^:%s]+):' .. unit .. ':(%d+)') do
    c.window, c.length = window, tonumber(length)
    erase_rolled(c)
  end
  return at + 1 .. ':0'
end
