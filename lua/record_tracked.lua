-- record_tracked: counts a batch of events into every window of one target, as record_batch does; some are tracked actions, which count
-- once in a period or can be undone. An undo takes its action away at that action's instant. An event of now that comes alone is counted straight, see
-- count_straight.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @locks sender
-- @packed about counted target stable_offset calendar counting
-- @args batch
-- @args senders
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg journal           int     seconds for which what is counted is kept in the journal; 0: it is not
-- @arg new_salt          text    random text, for visitors of a day that has no salt yet; empty when no event has a visitor
-- @arg visitors_per_address int  visitors of one address whose actions count once, on each day, see most_of_network; 0 for all
-- @each event                    an event
-- @fields tracked_event
-- @returns OK                    what became of the events
-- @field outcomes        text    an outcome code per event: those of record_batch. v: too many visitors of the address or of a network of that. s: done already. n: an undo of what was not done.
--                                u: undone already. l: an undo that comes too late. p: a newer seq was applied. k: nothing to do: all is as
--                                it says, and its seq is remembered
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

if actor_history <= 0 then return redis.error_reply('UNTOUCHED ERR actor_history must be above 0') end
local c = begin_call(board, sender, batch_id, has_all, newcomers, actor_history, journal, new_salt, visitors_per_address)
setmetatable(c, counted)
if #ARGV - events + 1 == event_fields then
  local reply = count_straight(c, about, { unpack(ARGV, events) })
  if reply then return reply end
end
c = begin_again(c)
return open_call(c) or count_batch(c, ARGV, events, event_fields)
