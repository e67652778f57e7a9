-- activity: what an actor did on each of the last days, from a site's ledger.
--
-- @key board                  prefix of the ledger's keys, "eb:{site}"
-- @arg actor          text    its id
-- @arg days           number  how many, with today
-- @arg day_starts_at  number  seconds after local midnight
-- @arg zone           text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK         'OK', now (Unix milliseconds), then per day on which it did something, the latest first: its number,
--                     "action count sum …"
-- @returns SPAN       'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include local_count period_key zone_rows

local REACH = 397 * 86400
local time = redis.call('TIME')
local now = tonumber(time[1])
local now_ms = now * 1000 + math.floor(time[2] / 1000)
local rows, span_until = zone_rows(zone, day_starts_at)
if now - REACH < rows[1].from or now + REACH > span_until then return { 'SPAN', now_ms, now - REACH, now + REACH } end
local today = local_count(rows, 'day', 86400, now)
local reply = { 'OK', now_ms }
for day = today, today - days + 1, -1 do
  local actions = redis.call('HGET', period_key(board, 'd', day) .. ':actions', actor)
  if actions then
    reply[#reply + 1] = day
    reply[#reply + 1] = actions
  end
end
return reply
