-- erase_decayed: removes the actor that is erased from the decaying windows.
local function erase_decayed(c)
  local clock = c.clock
  for window, kind, unit, amount, second in string.gmatch(c.decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local number
    if kind == 'linear' then
      number = linear_period(zone_rows(c.zone, tonumber(second)), unit, c.week_starts_on, clock.now)
    else
      local life, span = life_and_span(kind, tonumber(amount))
      local position = kind == 'step' and period_number(unit, clock.hour, clock.day, c.week_starts_on) or clock.now_ms
      local _, landmark = decay(position, position, life, span)
      number = landmark
    end
    for near = number - 1, number + 1 do
      drop_member(c, window_key(c.board, window, near))
    end
  end
end
