-- record_standing: counts a batch of events into every window of one target, as record_tracked does, and tells where the members stood on a
-- window before, and where they stand after it, as `ranks` would at both moments.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about counted target stable_offset calendar counting
-- @args batch
-- @args senders
-- @args window
-- @args kept
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg journal           int     seconds for which what is counted is kept in the journal; 0: it is not
-- @arg new_salt          text    random text, for visitors of a day that has no salt yet; empty when no event has a visitor
-- @arg visitors_per_address int  visitors of one address whose actions count once, on each day; 0 for all
-- @arg asks              int     1: read the members' ranks; 0: no ranks are read
-- @args visible
-- @each event                    an event
-- @fields tracked_event
-- @returns OK                    what became of the events
-- @field now_ms          int     Unix milliseconds
-- @field outcomes        text    an outcome code per event, see record_tracked
-- @field number          int     the number of the window's period; 0 where nothing is asked
-- @field named_at        int?    seconds: the start of that period, of a rolling window of its last base period
-- @field complete        flag    whether every member's score is right
-- @field ranked_by       text    ordinal, competition or dense: the kind of the ranks, see ranks
-- @group standing                a member of whom an event was counted
-- @field id              id      the member's id
-- @field rank_before     count?  its rank before; empty where it was not shown
-- @field score_before    number? its score before
-- @field rank            count?  its rank; empty where it is not shown
-- @field score           number? its score
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

if actor_history <= 0 then return redis.error_reply('UNTOUCHED ERR actor_history must be above 0') end
local c = begin_call(board, sender, batch_id, has_all, newcomers, actor_history, journal, new_salt, visitors_per_address)
setmetatable(c, counted)
local sought = { window = window, kind = kind, unit = unit, length = length, amount = amount, at = at, kept = kept, tick = tick }
sought.min_score, sought.ties, sought.ranking = min_score, ties, ranking
sought.day_starts_at, sought.week_starts_on, sought.zone = c.day_starts_at, c.week_starts_on, c.zone
local found, before, refusal, looked_at, outcomes, rank_now, look

-- Where members stand now; nothing, and a reply, where the window cannot be found.
function rank_now(names)
  found, refusal = find_window(board, sought, '', '', nil, c.time)
  if not found then return nil end
  -- Nothing that is counted changes who is curated.
  found.lists = before and before.curated
  return rank_members(found, names, 0)
end
function look(names)
  before = names[1] == looked_at and not names[2] and before or rank_now(names)
  looked_at = names[1]
  return refusal
end
c.before = asks == 1 and look or nil

if #ARGV - events + 1 == event_fields then
  local event = { unpack(ARGV, events) }
  outcomes = count_straight(c, about, event)
  c.batch = { count = 1, names = { event[1] }, members = { 1 }, outcomes = { outcomes } }
end
if not outcomes then
  c = begin_again(c)
  outcomes = open_call(c) or count_batch(c, ARGV, events, event_fields, { read = plan_plain, store = store_plain })
end
if type(outcomes) ~= 'string' then return outcomes end
if not before then return { 'OK', c.now_ms, outcomes, 0, '', 1, ranking } end
local after = rank_now(c.batch.names)
local reply = { 'OK', c.now_ms, outcomes, found.period, found.named_at or '', found.complete and 1 or 0, ranking }
add_moves(reply, c.batch, before, after)
return reply
