-- decaying_number: the number of the current board of a decaying window.
local function decaying_number(c, kind, unit, amount, second)
  local clock = c.clock
  if kind == 'linear' then return (linear_period(zone_rows(c.zone, second), unit, c.week_starts_on, clock.now)) end
  local life, span = life_and_span(kind, amount)
  local position = kind == 'step' and period_number(unit, clock, c.week_starts_on) or clock.now_ms
  local _, number = decay(position, position, life, span)
  return number
end
