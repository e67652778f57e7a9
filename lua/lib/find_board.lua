-- find_board: the sorted set that holds a window of a board now, or in the period of a number (a rolling window's is that of
-- its last base period): its key; its scale, to multiply scores with; its period's number; when that starts (named_at),
-- when the window starts and ends (seconds, nil where there is none); whether every member's score is right (complete); and
-- the key of the period before, nil where none can be compared. Or nil, and the reply that asks for more of the zone.
-- @include decay is_ready life_and_span local_count past_key period_bounds period_key period_number window_key zone_rows
local function find_board(board, window, number, day_starts_at, week_starts_on, zone)
  -- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
  local REACH = 397 * 86400
  local name, kind, unit, amount = window.name, window.kind, window.unit, window.amount
  local time = redis.call('TIME')
  local now = tonumber(time[1])
  local now_ms = now * 1000 + math.floor(time[2] / 1000)
  local rows, span_until = zone_rows(zone, kind == 'linear' and window.at or day_starts_at)
  local needs_now = number == '' or kind ~= 'calendar'
  if needs_now and (now - REACH < rows[1].from or now + REACH > span_until) then
    return nil, { 'SPAN', now_ms, now - REACH, now + REACH }
  end

  local current
  if needs_now and kind ~= 'half-life' then
    local hour, day = local_count(rows, 'hour', 3600, now), local_count(rows, 'day', 86400, now)
    current = period_number(unit, hour, day, week_starts_on)
  end
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
  if found.starts_at and (found.starts_at <= rows[1].from or found.ends_at >= span_until) then
    return nil, { 'SPAN', now_ms, math.min(found.starts_at, found.ends_at) - REACH, found.ends_at + REACH }
  end
  if kind == 'calendar' then
    found.key = period_key(board, unit, period)
    found.previous = unit ~= 'a' and period_key(board, unit, period - 1) or nil
  elseif kind == 'linear' then
    found.key = window_key(board, name, period)
  elseif period >= current then
    found.key = window_key(board, name, period)
    found.complete = is_ready(board, name, period)
    -- The board before is as it was at its end when it had been right by then: boards are from `since` up to `ready`.
    local since, ready = unpack(redis.call('HMGET', window_key(board, name, 'state'), 'since', 'ready'))
    local is_kept = since and tonumber(since) < period and tonumber(ready) >= period - 1
    found.previous = is_kept and window_key(board, name, period - 1) or nil
  else
    found.key = past_key(board, name, period)
    local done = redis.call('GET', found.key .. ':done')
    found.complete = done == (redis.call('HGET', window_key(board, name, 'state'), 'late') or '0')
  end
  return found
end
