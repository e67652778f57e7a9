-- record_event: counts one event on a board without indexes, on Redis's own clock.
--
-- An event of now is counted with one write per window, and only what its next board needs is read before. What was written is taken
-- back when a later write fails. Every other event is counted as a batch of one, see record_batch.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args target
-- @args stable_offset
-- @args counting
-- @args calendar
-- @arg member            text    the member that it counts for
-- @arg delta             number  what it is worth
-- @arg when              text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @arg id                text    id of this event, or empty
-- @returns OK                    what became of the event
-- @field now_ms          int     Unix milliseconds
-- @field outcomes        text    its outcome code, see record_batch
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local c = {
  board = board,
  units = units,
  retention = retention,
  rolling = rolling,
  decaying = decaying,
  sender = sender,
  replay_window = replay_window,
  once_kept = once_kept,
  max_members = max_members,
  zone = zone,
  day_starts_at = day_starts_at,
  week_starts_on = week_starts_on,
}
local refusal = open_call(c, stable_from, stable_until, stable_offset)
if refusal then return refusal end

local ago = when == '' and 0 or tonumber(when)
-- What the event is known by, if that is one id and no part of a batch.
local known_as = batch_id ~= '' and batch_id or id
local is_simple = known_as == '' or c.id_turn and not c.has_parts and (id == '' or batch_id == '' and not string.find(id, '/', 1, true))
-- Indexes that were kept until now are not any more: see settle_indexes.
local keeps_none = not c.kept_indexes or string.sub(c.kept_indexes, -1) == ':'
if c.is_usual and keeps_none and is_simple and delta % 1 == 0 and has_all == 1 and ago and ago >= 0 and c.now_ms - ago >= c.same_from then
  local done, outcome = pcall(count_now, c, member, delta, c.now_ms - ago, known_as)
  if done then return { 'OK', c.now_ms, outcome } end
  take_back(c, member, delta, known_as)
  return untouched(outcome)
end
c.options, c.batch_id, c.has_all = options, batch_id, has_all == 1
read_more_state(c)
return count_batch(c, { member, ARGV[#ARGV - 2], when, id, '' }, 1)
