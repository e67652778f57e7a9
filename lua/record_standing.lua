-- record_standing: counts a batch of events into every window of one target, as record_tracked does, and tells where the members stood on a
-- window before, and where they stand after it.
--
-- That takes two commands for each member. Those of a batch are read from the board with who is curated. A single event may be added to it unread: then
-- the state has their scores, see note_stand, or they take one command more. Curated members with the score of a member cost one more each, and likewise each score of theirs
-- where ranks are dense. A single event of now is counted as record_event does.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @packed about target stable_offset calendar counting
-- @table c batch senders
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg journal           int     seconds for which what is counted is kept in the journal; 0: it is not
-- @arg new_salt          text    random text, for visitors of a day that has no salt yet; empty when no event has a visitor
-- @arg visitors_per_address int  visitors of one address whose actions count once, on each day; 0 for all
-- @arg standing_unit    text    the unit of the window's periods; empty: nothing is asked, and nothing told
-- @arg standing_window  text    a rolling window's name; else empty
-- @args visible
-- @each event                    an event
-- @field member          text    the member that it counts for
-- @field delta           number  what it is worth
-- @field when            text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @field id              text    what it is known by besides batch_id, see record_batch
-- @field tracked         text    see record_tracked
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
c.actor_history, c.journal, c.new_salt, c.visitors_per_address = actor_history, journal, new_salt, visitors_per_address
c.options, c.units, c.rolling, c.decaying, c.changed, c.archived, c.retention =
  options, units, rolling, decaying, changed, archived, retention
c.replay_window, c.once_kept, c.max_members, c.known_for = replay_window, once_kept, max_members, known_for
c.stable_from, c.stable_until, c.stable_offset = stable_from, stable_until, stable_offset
c.zone, c.day_starts_at, c.week_starts_on = zone, day_starts_at, week_starts_on
local plan
if standing_unit ~= '' then
  c.stands =
    { unit = standing_unit, window = standing_window, find = find_stand, read = read_stand, look = stand_before, note = note_stand }
  c.stands.visible = { ties = ties, ranking = ranking, lowest = math.max(min_score, 0) }
  plan = { read = plan_standing, store = store_plain }
end
local outcomes = open_call(c)
if not outcomes and c.stands and #ARGV - events + 1 == event_fields then outcomes = count_alone(c, about, { unpack(ARGV, events) }) end
outcomes = outcomes or count_batch(c, ARGV, events, plan)
if type(outcomes) ~= 'string' then return outcomes end
local reply = { 'OK', c.now_ms, outcomes }
if c.stands then
  add_standings(c, reply)
else
  reply[4], reply[5], reply[6], reply[7] = 0, '', 1, ranking
end
return reply
