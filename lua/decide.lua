-- decide: gives actions that can be undone, and undos, the order in which all of their targets apply them, at the home of their actors. It writes down
-- what each is to do before any target does it: an intent. So whoever comes next can finish it. It is for targets that lie on several nodes.
--
-- 1. Forget the intents that all of their targets answered.
-- 2. Read the intents of the same actors that are left: the targets get them before what is decided now.
-- 3. Give each event the next order and its instant, and write its intent. An event that was decided before keeps its order.
-- 4. Remember where an action counts. An undo goes there as well, whatever is configured and known of its item by then.
--
-- An order is the instant in microseconds, or one more than the last order of the home. So it grows also where a home was lost.
--
-- @key home                      prefix of the keys of a home, "eb:{7/site}"
-- @arg replay_window     int     seconds for which ids are remembered at least
-- @arg actor_history     int     seconds for which it is remembered where an action counts
-- @arg settled           text    intents that all of their targets answered, see settle_intents
-- @each event                    an event
-- @field who             text    who does it, as record_tracked has it
-- @field id              text    what it is known by, behind its class of senders; or empty
-- @field when            text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @field what            text    its action and item, as a digest; of what is no undo, \31 and where it counts behind that
-- @field pieces          text    what it does on its targets
-- @returns OK                    the events are decided
-- @group decision per event      what was decided of an event
-- @field became          text    n: it is new. k: it was decided before. f: it is of the future. w: too much of its actor waits for its targets; the last two
--                                are not written down
-- @field order           count   its order; 0 where it has none
-- @field at              text    its instant (Unix milliseconds), of one that was decided before as it comes now; empty where it has none
-- @field refused         text    of one that was decided before and is settled: the targets that refused it, with commas between them
-- @field recorded        text    of an undo, where its action counted
-- @group intent                  one that was decided before
-- @field order           count   its order
-- @field who             text    who did it
-- @field written         text    its instant, its id and its pieces, each behind a tab but the first; of an undo \29 and where its action counted

local time, reply = redis.call('TIME'), { 'OK' }
settle_intents(home, settled)
local now, now_us = time[1] + 0, time[1] * 1000000 + time[2]
local now_ms = math.floor(now_us / 1000)
local waiting, count_of = read_waiting(home, ARGV, events)
local decided, latest, is_begun = read_decisions(home, ARGV, events, now - replay_window, now)
latest = math.max(latest, last_decided(home))
local book = { now_us = now_us, now_ms = now_ms, decided = decided, latest = latest, is_begun = is_begun, count_of = count_of }
book.noted, book.intents, book.ordered, book.done = {}, {}, {}, {}
for i = events, #ARGV, 5 do
  local when = ARGV[i + 2]
  local ago = tonumber(when)
  local at = when == '' and now_ms or ago and now_ms - ago or tonumber(string.match(when, '^@(%d+)$') or nil)
  if not at then return redis.error_reply('UNTOUCHED ERR an event has no instant: ' .. when) end
  local recorded = find_where(home, book, ARGV[i], ARGV[i + 3], now - actor_history, now)
  local became, order, refused = decide_event(book, ARGV[i], ARGV[i + 1], at, ARGV[i + 4] .. recorded)
  if became == 'n' then remember_where(book, ARGV[i], ARGV[i + 3]) end
  local instant = order > 0 and string.format('%d', math.min(at, now_ms)) or ''
  local j = #reply
  reply[j + 1], reply[j + 2], reply[j + 3], reply[j + 4], reply[j + 5] = became, order, instant, refused, recorded
end
write_decisions(home, book, now, replay_window + 60)
write_where(home, book, now, actor_history)
for _, intent in ipairs(waiting) do
  reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = tonumber(intent[1]), intent[2], intent[3]
end
return reply
