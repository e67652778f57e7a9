-- decaying_expiry: when a board of a decaying window expires (seconds): a day after it is no longer current.
local function decaying_expiry(c, window, number)
  local kind, ends_at = window.kind, window.ends_at
  if kind == 'half-life' then
    ends_at = math.ceil((number + 1) * 512 * window.amount / 1000)
  elseif kind == 'step' then
    -- Steps of the zone's calendar: a month has at most 31 days, an hour at most 90 minutes.
    local longest = { h = 5400, d = 2 * 86400, w = 8 * 86400, m = 32 * 86400 }
    local _, span = life_and_span(kind, window.amount)
    ends_at = c.now + ((number + 1) * span - step_at(c, window, c.now_ms)) * longest[window.unit]
  end
  -- A double holds later instants than Redis takes.
  return math.min(math.ceil(ends_at) + 86400, 2 ^ 40)
end
