-- trim: drops a bounded number of members of a decaying window whose score has decayed below the floor.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args window
-- @arg floor             number  scores between it and its negative are dropped
-- @arg limit             int     members to drop at most
-- @args calendar
-- @returns OK                    a chunk is done
-- @field now_ms          int     Unix milliseconds
-- @field dropped         count   members dropped
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local clock, span_reply = read_clock(board, zone, day_starts_at, {})
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
