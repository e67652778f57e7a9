-- top: one page of a window of a board, highest score first, with the period's bounds on Redis's own clock.
--
-- Members whose score is not above zero, or has decayed below the floor, are not shown.
--
-- @key board                  prefix of the board's keys, "eb:{site:board}"
-- @arg window         text    the window's name
-- @arg kind           text    calendar, rolling, half-life, step or linear
-- @arg unit           text    one letter of "hdwmya": what a calendar or rolling window is made of, what steps or resets it
-- @arg length         number  periods in a rolling window; else 1
-- @arg amount         number  of a decaying window, see record
-- @arg at             number  likewise
-- @arg floor          number  the least score of a decaying window that is shown; else 0
-- @arg number         text    the period's number, for a rolling window its last base period's; empty for the current one
-- @arg offset         number  members to skip
-- @arg limit          number  members to answer at most, at least 1
-- @arg day_starts_at  number  seconds after local midnight
-- @arg week_starts_on number  0 = Monday … 6 = Sunday
-- @arg zone           text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK         'OK', now (Unix milliseconds), number, the period's start, the window's start and end (seconds;
--                     empty where there is none), 1 when every
--                     member's score is right, total, refused events, then member, score, member, score, …
-- @returns SPAN       'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include decay is_ready life_and_span local_count past_key period_bounds period_key period_number
-- @include window_key zone_rows

-- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
local REACH = 397 * 86400

local time = redis.call('TIME')
local now = tonumber(time[1])
local now_ms = now * 1000 + math.floor(time[2] / 1000)

local rows, span_until = zone_rows(zone, kind == 'linear' and at or day_starts_at)
local needs_now = number == '' or kind ~= 'calendar'
if needs_now and (now - REACH < rows[1].from or now + REACH > span_until) then
  return { 'SPAN', now_ms, now - REACH, now + REACH }
end

local current
if needs_now and kind ~= 'half-life' then
  local hour, day = local_count(rows, 'hour', 3600, now), local_count(rows, 'day', 86400, now)
  current = period_number(unit, hour, day, week_starts_on)
end
local period = tonumber(number) or current

local key, named_at, starts_at, ends_at
local complete, scale = true, 1
if kind == 'half-life' or kind == 'step' then
  local life, span = life_and_span(kind, amount)
  local position = kind == 'step' and current or now_ms
  local _, landmark, factor = decay(position, position, life, span)
  key, scale, period = window_key(board, window, landmark), factor, 0
else
  named_at, ends_at = period_bounds(rows, unit, period, week_starts_on)
  starts_at = period_bounds(rows, unit, period - length + 1, week_starts_on)
  if starts_at and (starts_at <= rows[1].from or ends_at >= span_until) then
    return { 'SPAN', now_ms, math.min(starts_at, ends_at) - REACH, ends_at + REACH }
  end
  if kind == 'calendar' then
    key = period_key(board, unit, period)
  elseif kind == 'linear' or period >= current then
    key = window_key(board, window, period)
    complete = kind == 'linear' or is_ready(board, window, period)
  else
    key = past_key(board, window, period)
    local done = redis.call('GET', key .. ':done')
    complete = done == (redis.call('HGET', window_key(board, window, 'state'), 'late') or '0')
  end
end

local least = floor > 0 and string.format('%.17g', floor / scale) or '(0'
local shown = redis.call('ZREVRANGEBYSCORE', key, '+inf', least, 'WITHSCORES', 'LIMIT', offset, limit)
local reply = {
  'OK', now_ms, period, named_at or '', starts_at or '', ends_at or '', complete and 1 or 0,
  redis.call('ZCOUNT', key, least, '+inf'), tonumber(redis.call('GET', key .. ':refused') or 0),
}
for i = 1, #shown, 2 do
  reply[#reply + 1] = shown[i]
  reply[#reply + 1] = string.format('%.17g', shown[i + 1] * scale)
end
return reply
