-- decaying_at: the boards of a decaying window on which something that happened `at` (milliseconds) counts, each as { board number,
-- what it is worth there }.
local function decaying_at(c, window, at)
  local kind, unit, amount = window.kind, window.unit, window.amount
  if kind == 'linear' then
    if not window.starts_at then
      window.number, window.starts_at, window.ends_at = linear_period(zone_rows(c.zone, window.at), unit, c.week_starts_on, c.now)
    end
    local second = math.floor(at / 1000)
    return second < window.starts_at and {} or { { window.number, amount * (second - window.starts_at) } }
  end
  local life, span = life_and_span(kind, amount)
  if kind == 'half-life' then return (decay(at, c.now_ms, life, span, STEP_BACK_MS)) end
  return (decay(step_at(c, window, at), step_at(c, window, c.now_ms), life, span))
end
