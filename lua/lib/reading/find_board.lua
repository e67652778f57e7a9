-- find_board: finds the sorted set that holds a window of a board. The period is the current one or that of a number, for a
-- rolling window that of its last base period. Answers a table:
-- - key: the sorted set
-- - scale: what to multiply its scores with
-- - period: its period's number
-- - named_at: when that period starts (seconds; nil where there is none)
-- - starts_at, ends_at: when the window starts and ends (likewise)
-- - complete: whether every member's score is right
-- - previous: the key of the period before; nil when none can be compared
-- Or answers nil, and the reply that asks for more of the zone.
local function find_board(board, window, number, day_starts_at, week_starts_on, zone)
  local name, kind, unit, amount = window.name, window.kind, window.unit, window.amount
  local clock, span_reply = read_clock(board, zone, day_starts_at, { 'past', 'window:' .. window.name, 'made:' .. window.unit })
  if kind == 'linear' and not span_reply then
    clock.rows = zone_rows(zone, window.at)
    clock.hour, clock.day = local_count(clock.rows, 'hour', 3600, clock.now), local_count(clock.rows, 'day', 86400, clock.now)
  end
  if span_reply and (number == '' or kind ~= 'calendar') then return nil, span_reply end
  local now_ms, rows = clock.now_ms, clock.rows

  local current
  if not span_reply and kind ~= 'half-life' then current = period_number(unit, clock.hour, clock.day, week_starts_on) end
  local found = { now_ms = now_ms, period = tonumber(number) or current, complete = true, scale = 1, rows = rows }
  local period = found.period
  if kind == 'half-life' or kind == 'step' then
    local life, span = life_and_span(kind, amount)
    local position = kind == 'step' and current or now_ms
    local _, landmark, factor = decay(position, position, life, span)
    found.key, found.scale, found.period = window_key(board, name, landmark), factor, 0
    return found
  end

  found.named_at, found.ends_at = period_bounds(rows, unit, period, week_starts_on)
  found.starts_at = period_bounds(rows, unit, period - window.length + 1, week_starts_on)
  if found.starts_at and (found.starts_at <= rows[1].from or found.ends_at >= clock.span_until) then
    local REACH = 397 * 86400 -- see read_clock
    return nil, { 'SPAN', now_ms, math.min(found.starts_at, found.ends_at) - REACH, found.ends_at + REACH }
  end
  if kind == 'calendar' then
    found.key = period_key(board, unit, period)
    found.previous = unit ~= 'a' and period_key(board, unit, period - 1) or nil
  elseif kind == 'linear' then
    found.key = window_key(board, name, period)
  elseif period >= current then
    found.key = window_key(board, name, period)
    local mark = whole_mark(clock.generation)
    found.complete = is_whole(board, clock, name, unit, window.length, period, redis.call('ZSCORE', found.key, mark))
    local since = tonumber(string.match(clock.state['window:' .. name] or '', '^whole (%-?%d+)$'))
    found.previous = since and since < period and window_key(board, name, period - 1) or nil
  else
    found.key = past_key(board, name, period)
    local version = past_version(clock.state.past, name, unit, window.length, period)
    found.complete = version and redis.call('ZSCORE', found.key, whole_mark(version)) and true
  end
  return found
end
