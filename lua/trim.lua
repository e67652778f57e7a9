-- trim: drops a bounded number of members of a decaying window whose score has decayed below the floor.
--
-- @key board                   prefix of the board's keys, "eb:{site:board}"
-- @arg window          text    the window's name
-- @arg kind            text    half-life or step
-- @arg unit            text    what steps it: one letter of "hdwm"
-- @arg amount          number  of the window, see record
-- @arg floor           number  scores between it and its negative are dropped
-- @arg limit           number  members to drop at most
-- @arg day_starts_at   number  seconds after local midnight
-- @arg week_starts_on  number  0 = Monday … 6 = Sunday
-- @arg zone            text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK          'OK', now (Unix milliseconds), members dropped
-- @returns SPAN        'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include decay life_and_span period_number read_clock window_key

local clock, span_reply = read_clock(zone, day_starts_at)
if span_reply then return span_reply end
local position = kind == 'step' and period_number(unit, clock.hour, clock.day, week_starts_on) or clock.now_ms
local life, span = life_and_span(kind, amount)
local _, landmark, scale = decay(position, position, life, span)
local key = window_key(board, window, landmark)
local bound = string.format('%.17g', floor / scale)
local faded = redis.call('ZRANGEBYSCORE', key, '(-' .. bound, '(' .. bound, 'LIMIT', 0, limit)
if #faded > 0 then
  redis.call('ZREM', key, unpack(faded))
  redis.call('HDEL', key .. ':actions', unpack(faded))
end
return { 'OK', clock.now_ms, #faded }
