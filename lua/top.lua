-- top: one page of a period of a board, highest score first, with the period's bounds on Redis's own clock.
--
-- Members whose score is not above zero are kept but not shown.
--
-- @key board                  prefix of the board's keys, "eb:{site:board}"
-- @arg unit           text    one letter of "hdwmya": hour day week month year all
-- @arg number         text    the period's number; empty for the period that holds now
-- @arg offset         number  members to skip
-- @arg limit          number  members to answer at most, at least 1
-- @arg day_starts_at  number  seconds after local midnight
-- @arg week_starts_on number  0 = Monday … 6 = Sunday
-- @arg zone           text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK         'OK', now (Unix milliseconds), number, start, end (seconds; empty for all), total, refused events,
--                     then member, score, member, score, …
-- @returns SPAN       'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include local_count period_bounds period_key period_numbers zone_rows

-- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
local REACH = 397 * 86400

local time = redis.call('TIME')
local now = tonumber(time[1])
local now_ms = now * 1000 + math.floor(time[2] / 1000)

local rows, span_until = zone_rows(zone, day_starts_at)
local period = tonumber(number)
if not period then
  if now - REACH < rows[1].from or now + REACH > span_until then
    return { 'SPAN', now_ms, now - REACH, now + REACH }
  end
  local hour, day = local_count(rows, 'hour', 3600, now), local_count(rows, 'day', 86400, now)
  period = period_numbers(unit, hour, day, week_starts_on)[1]
end
local starts_at, ends_at = period_bounds(rows, unit, period, week_starts_on)
if starts_at and (starts_at <= rows[1].from or ends_at >= span_until) then
  return { 'SPAN', now_ms, math.min(starts_at, ends_at) - REACH, ends_at + REACH }
end

local key = period_key(board, unit, period)
local shown = redis.call('ZREVRANGEBYSCORE', key, '+inf', '(0', 'WITHSCORES', 'LIMIT', offset, limit)
local reply = {
  'OK', now_ms, period, starts_at or '', ends_at or '',
  redis.call('ZCOUNT', key, '(0', '+inf'), tonumber(redis.call('GET', key .. ':refused') or 0),
}
for i = 1, #shown, 2 do
  reply[#reply + 1] = shown[i]
  reply[#reply + 1] = string.format('%.17g', tonumber(shown[i + 1]))
end
return reply
