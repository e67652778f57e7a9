-- activity: what an actor did on each of the last days, from a site's activity log.
--
-- @key board                     prefix of the activity log's keys, "eb:{site}"
-- @arg actor             text    the actor's id
-- @arg days              int     how many days to read, today included
-- @args calendar
-- @returns OK                    its days
-- @field now_ms          int     Unix milliseconds
-- @group day                     a day on which it did something, the latest first
-- @field number          int     the day's number
-- @field actions         text    "action count sum …"
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local clock, span_reply = read_clock(board, zone, day_starts_at, {})
if span_reply then return span_reply end
local reply = { 'OK', clock.now_ms }
for day = clock.day, clock.day - days + 1, -1 do
  local actions = redis.call('HGET', actions_key(period_key(board, 'd', day)), actor)
  if actions then
    reply[#reply + 1] = day
    reply[#reply + 1] = actions
  end
end
return reply
