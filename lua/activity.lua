-- activity: what an actor did on each of the last days, from a site's activity log.
--
-- @key board                   prefix of the activity log's keys, "eb:{site}"
-- @arg actor           text    its id
-- @arg days            number  how many, with today
-- @arg day_starts_at   number  seconds after local midnight
-- @arg zone            text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK          'OK', now (Unix milliseconds), then per day on which it did something, the latest first: its number,
--                              "action count sum …"
-- @returns SPAN        'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include period_key read_clock

local clock, span_reply = read_clock(zone, day_starts_at)
if span_reply then return span_reply end
local reply = { 'OK', clock.now_ms }
for day = clock.day, clock.day - days + 1, -1 do
  local actions = redis.call('HGET', period_key(board, 'd', day) .. ':actions', actor)
  if actions then
    reply[#reply + 1] = day
    reply[#reply + 1] = actions
  end
end
return reply
