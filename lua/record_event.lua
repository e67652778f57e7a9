-- record_event: counts one event that is not tracked, on Redis's own clock.
--
-- An event of now is counted with one write per board, and only its indexes are read before. What was written is taken back when a later
-- write fails, or finds a key not as usual. What is counted is planned once an hour, see make_plan. Every other event is counted as a
-- batch of one, see record_batch.
--
-- Where its sender is bounded, the longest period tells whether its member is new. So it is counted as a batch where there are no periods.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about target stable_offset calendar counting
-- @args batch
-- @args senders
-- @arg member            text    the member that it counts for
-- @arg delta             number  what it is worth
-- @arg when              text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @arg id                text    id of this event, or empty
-- @arg action            text    its action where the options keep them, see record_batch; else empty
-- @returns OK                    what became of the event
-- @field now_ms          int     Unix milliseconds
-- @field outcomes        text    its outcome code, see record_batch
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local c = new_call(board, sender, newcomers, about)
ask_state(c, { 'planned:' .. sender })
local at = when == '' and c.now_ms or c.now_ms - (tonumber(when) or -1)
-- What the event is known by, if that is one id and no part of a batch.
local known_as = batch_id ~= '' and batch_id or id
local is_one = has_all == 1 and (id == '' or batch_id == '' and not string.find(id, '/', 1, true))
local is_simple = is_one and delta % 1 == 0 and at <= c.now_ms and not c.said.err
local plan, done, outcome = is_simple and find_plan(c, about, at), nil, nil
if plan and not c.said[10] and known_for == 0 and (known_as == '' or plan[5] ~= '') and (newcomers == '' or plan[9] ~= '0') then
  done, outcome = pcall(c.options and index_now or count_now, c, plan, member, delta, at, known_as, action)
  if outcome and done and not c.turns then return { 'OK', c.now_ms, outcome } end
end
c.units, c.decaying, c.changed, c.retention, c.replay_window, c.once_kept, c.max_members =
  units, decaying, changed, retention, replay_window, once_kept, max_members
c.stable_from, c.stable_until, c.stable_offset, c.known_for = stable_from, stable_until, stable_offset, known_for
c.zone, c.day_starts_at, c.week_starts_on, c.batch_id, c.has_all = zone, day_starts_at, week_starts_on, batch_id, has_all == 1
local refusal = read_state(c)
if refusal then return refusal end
if is_simple and (newcomers == '' or units ~= '') and done == nil then
  plan = plan or at >= c.same_from and make_plan(c, about)
  c.refuses = (c.moved or known_for > 0) and refuses
  if plan and (known_as == '' or plan[5] ~= '') and not (c.options and c.refuses) then
    done, outcome = pcall(c.options and index_now or count_now, c, plan, member, delta, at, known_as, action)
  end
end
if done and not outcome and not c.options then
  done, outcome = pcall(finish_now, c, plan, member, delta, at)
end
if c.turns then turn_full(c, c.turns) end
if done and outcome then return { 'OK', c.now_ms, outcome } end
if done == false or c.options and c.put then
  take_back(c, member, delta, known_as)
  c.put, c.id_key = nil, nil
end
if done == false then return untouched(outcome) end
if not c.options then c.options = '' end
read_more_state(c)
return count_batch(c, { member, ARGV[#ARGV - 3], when, id, action }, 1)
