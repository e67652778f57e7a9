-- zones: periods and seasons by the zone's offsets.

-- local_count: how many whole units of `size` seconds the zone's clock has reached at instant t ('hour' or 'day').
-- It never decreases: a clock set back across the start of a period does not bring the old period back.
local function local_count(rows, unit, size, t)
  local count = nil
  for i = 1, #rows do
    local row = rows[i]
    if row.from > t then break end
    local next_row = rows[i + 1]
    local last = next_row and math.min(next_row.from - 1, t) or t
    local reached = math.floor((last + row[unit]) / size)
    if not count or reached > count then count = reached end
  end
  return count
end

-- local_start: the first instant at which local_count reaches `count`.
local function local_start(rows, unit, size, count)
  for i = 1, #rows do
    local at = math.max(rows[i].from, count * size - rows[i][unit])
    local next_row = rows[i + 1]
    if not next_row or at < next_row.from then return at end
  end
end

-- ZONES: the rows of zones that were read last, by their texts and the second at which a day begins. The library keeps them from call to call.
local ZONES = { count = 0, most = 100, of = {} }

-- zone_rows: reads a zone argument, "until from:offset from:offset …" (seconds, ascending from). Answers its rows and the end of
-- its span. A row is { from, hour, day }: what to add to an instant from then on before counting hours or days.
-- The span begins at the first row's from. Nothing is known of the zone outside the span.
local function zone_rows(zone, day_starts_at)
  local rows = ZONES.of[zone] and ZONES.of[zone][day_starts_at]
  if rows then return rows, rows.span_until end
  rows = { span_until = tonumber(string.match(zone, '^-?%d+')) }
  for from, offset in string.gmatch(zone, ' (-?%d+):(-?%d+)') do
    rows[#rows + 1] = { from = tonumber(from), hour = offset % 3600, day = offset - day_starts_at }
  end
  keep_memo(ZONES, zone, ZONES.of[zone] or {})[day_starts_at] = rows
  return rows, rows.span_until
end

-- reaches: whether rows are known until an instant, or were for a call of the last minute: the clock may turn between the calls of a transaction, which
-- count all or none. Days are left between what a call asks for and what a period may need.
local function reaches(rows, now, till)
  if till <= rows.span_until then
    rows.reached_at = now
    return true
  end
  return rows.reached_at ~= nil and now >= rows.reached_at and now - rows.reached_at < 60
end

-- season_bounds: when a season begins and ends (seconds), and the number of the one before it, if any; nil when there is no such season.
local function season_bounds(zone, number)
  local before, from
  for start, at in string.gmatch(zone, ';([%d-]+)=(-?%d+)') do
    if from then return from, tonumber(at), before end
    start = tonumber(start)
    if start == number then
      from = tonumber(at)
    else
      before = start or before
    end
  end
end

-- season_numbers: the numbers of the seasons behind a zone that begin before an instant (seconds), in their order.
local function season_numbers(zone, before)
  local numbers = {}
  for start, at in string.gmatch(zone, ';(%d+)=(-?%d+)') do
    if tonumber(at) <= before then numbers[#numbers + 1] = tonumber(start) end
  end
  return numbers
end

-- last_season: the number of the last season that began until now; before all of them that of the first one. Answers also whether it
-- began. nil where there are none.
local function last_season(clock)
  local begun = season_numbers(clock.zone, clock.now)
  return begun[#begun] or season_numbers(clock.zone, math.huge)[1], begun[#begun] ~= nil
end

-- period_bounds: the instants (seconds) at which a period starts and ends; nil, nil for the period of all time.
local function period_bounds(rows, unit, number, week_starts_on)
  if unit == 'a' then return nil, nil end
  if unit == 'h' then return local_start(rows, 'hour', 3600, number), local_start(rows, 'hour', 3600, number + 1) end
  local _, _, grain = unit_of(unit)
  if grain then return number * grain, (number + 1) * grain end
  local first, after
  if unit == 'd' then
    first, after = number, number + 1
  elseif unit == 'w' then
    first = number * 7 - week_shift(week_starts_on)
    after = first + 7
  elseif unit == 'm' then
    first, after = month_first_day(number), month_first_day(number + 1)
  else
    first, after = month_first_day(number * 12), month_first_day(number * 12 + 12)
  end
  return local_start(rows, 'day', 86400, first), local_start(rows, 'day', 86400, after)
end

-- rows_of: the zone's rows, for a call that counts: needed for new keys and late events only, so they are read late.
local function rows_of(c)
  if not c.rows then
    c.rows, c.span_until = zone_rows(c.zone, c.day_starts_at)
  end
  return c.rows
end

-- expires_at: when the board of a period expires (seconds): its retention after the period's end, or `kept` after; nil for never, and of a unit that this
-- call does not count: its board has its expiry.
local function expires_at(c, unit, number, kept)
  if not kept then
    local index = string.find(c.units, unit, 1, true)
    if not index then return nil end
    kept = tonumber(string.sub(c.retention, index * 10 - 9, index * 10))
  end
  if kept == 0 then return nil end
  if unit == 's' then
    local _, ends_at = season_bounds(c.zone, number)
    return ends_at and ends_at + kept
  end
  local _, ends_at = period_bounds(rows_of(c), unit, number, c.week_starts_on)
  return ends_at and ends_at + kept
end

-- rolling_expiry: when the board of a rolling window's period expires (seconds). It is kept through the next period, which is compared
-- with it, and for an hour more; where it is made of minutes, for two.
local function rolling_expiry(rows, unit, number, week_starts_on)
  local _, _, grain = unit_of(unit)
  local _, ends_at = period_bounds(rows, unit, number + 1, week_starts_on)
  return ends_at + (grain and 120 or 3600)
end

-- local_time: an instant (milliseconds) as period_number takes it: the local hour and day that hold it, and its second.
local function local_time(c, at)
  if at >= c.same_from then return c.own or c end
  local second = math.floor(at / 1000)
  return {
    hour = local_count(rows_of(c), 'hour', 3600, second),
    day = local_count(rows_of(c), 'day', 86400, second),
    second = second,
    zone = c.zone,
  }
end
