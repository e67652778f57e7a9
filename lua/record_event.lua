-- record_event: counts one event that is not tracked, on Redis's own clock.
--
-- An event of now is counted with one write per board. Before, only its indexes are read, and its scores where these must be known, see read_sums. What
-- was written is taken back when a later write fails, or finds a key not as usual. What is counted is planned once an hour, see make_plan.
-- Every other event is counted as a batch of one, see record_batch.
--
-- Where its sender is bounded, the longest period tells whether its member is new. So it is counted as a batch where there are no periods.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @locks sender
-- @packed about counted target stable_offset calendar counting
-- @args batch
-- @args senders
-- @arg member            text    the member that it counts for
-- @arg delta             number  what it is worth
-- @arg when              text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @arg id                text    id of this event, or empty
-- @arg action            text    its action where the options keep them, or what stands beside its value, see record_batch; else empty
-- @returns OK                    what became of the event
-- @field outcomes        text    its outcome code, see record_batch
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local worth, is_indexed, time = ARGV[#ARGV - 3], string.byte(about) ~= 10, redis.call('TIME')
local plan, stored
if is_indexed then
  plan, stored = find_plan(board, sender, about, 'sequence')
else
  plan, stored = find_plan(board, sender, about)
end
local sequence = stored[2]
local now, now_ms, instant = read_time(time)
local at = when == '' and now_ms or now_ms - (tonumber(when) or -1)
-- What the event is known by, if that is one id and no part of a batch.
local known_as = batch_id ~= '' and batch_id or id
local is_one = has_all == '1' and (id == '' or batch_id == '' and not string.find(id, '/', 1, true))
local c = { board = board, plan = plan, added = 0, now_ms = now_ms, instant = instant, known_as = known_as, id_key = nil }
if is_indexed or delta % 1 ~= 0 then setmetatable(c, counted) end
local is_simple, is_planned, done, outcome = is_one and delta - delta == 0 and at <= now_ms, false, nil, nil
if is_simple and plan then is_planned = at >= plan.since and now < plan.till end
if is_planned and not plan.is_filtered then
  local count = (is_indexed or delta % 1 ~= 0) and index_now or count_now
  done, outcome = pcall(count, c, member, delta, worth, at, known_as, newcomers, sequence, action)
  if outcome and done and not c.turns then return outcome end
end
c.time, c.sender, c.newcomers, c.options = time, sender, newcomers, is_indexed and counted.options
c.batch_id, c.has_all, c.about, c.at = batch_id, has_all == '1', about, at
c.is_simple, c.is_planned, c.sequence = is_simple, is_planned, sequence
return count_rare(setmetatable(c, counted), { member, worth, when, id, action }, delta, done, outcome)
