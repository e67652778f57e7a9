-- decaying_boards: two functions of a decaying window. The first lists the boards on which something that happened `at`
-- (milliseconds) counts, each as { board number, what it is worth there }. The second tells when a board is no longer current
-- (seconds).
local function decaying_boards(c, window)
  local kind, unit, amount = window.kind, window.unit, window.amount
  if kind == 'linear' then
    local current, starts_at, after = linear_period(zone_rows(c.zone, window.at), unit, c.week_starts_on, c.now)
    local function boards_of(at)
      local second = math.floor(at / 1000)
      return second < starts_at and {} or { { current, amount * (second - starts_at) } }
    end
    return boards_of, function() return after end
  end
  local life, span = life_and_span(kind, amount)
  local function position_of(at)
    if kind == 'half-life' then return at end
    local hour, day = c.hour_and_day(at)
    return period_number(unit, hour, day, c.week_starts_on)
  end
  local at_now = position_of(c.now_ms)
  local function ends_at(number)
    if kind == 'half-life' then return math.ceil((number + 1) * span / 1000) end
    -- Steps of the zone's calendar: a month has at most 31 days, an hour at most 90 minutes.
    local longest = { h = 5400, d = 2 * 86400, w = 8 * 86400, m = 32 * 86400 }
    return c.now + ((number + 1) * span - at_now) * longest[unit]
  end
  return function(at) return (decay(position_of(at), at_now, life, span)) end, ends_at
end
