-- trim: drops a bounded number of members of a decaying window whose score has decayed below the floor.
--
-- @key board                  prefix of the board's keys, "eb:{site:board}"
-- @arg window         text    the window's name
-- @arg kind           text    half-life or step
-- @arg unit           text    what steps it: one letter of "hdwm"
-- @arg amount         number  of the window, see record
-- @arg floor          number  the least score to keep, also of negative ones
-- @arg limit          number  members to drop at most
-- @arg day_starts_at  number  seconds after local midnight
-- @arg week_starts_on number  0 = Monday … 6 = Sunday
-- @arg zone           text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK         'OK', now (Unix milliseconds), members dropped
-- @returns SPAN       'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include decay life_and_span local_count period_number window_key zone_rows

local REACH = 397 * 86400

local time = redis.call('TIME')
local now = tonumber(time[1])
local now_ms = now * 1000 + math.floor(time[2] / 1000)
local rows, span_until = zone_rows(zone, day_starts_at)
if now - REACH < rows[1].from or now + REACH > span_until then return { 'SPAN', now_ms, now - REACH, now + REACH } end

local position = now_ms
if kind == 'step' then
  local hour, day = local_count(rows, 'hour', 3600, now), local_count(rows, 'day', 86400, now)
  position = period_number(unit, hour, day, week_starts_on)
end
local life, span = life_and_span(kind, amount)
local _, landmark, scale = decay(position, position, life, span)
local key = window_key(board, window, landmark)
local least = string.format('%.17g', floor / scale)
local faded = redis.call('ZRANGEBYSCORE', key, '(-' .. least, '(' .. least, 'LIMIT', 0, limit)
if #faded > 0 then
  redis.call('ZREM', key, unpack(faded))
  redis.call('HDEL', key .. ':actions', unpack(faded))
end
return { 'OK', now_ms, #faded }
