-- series: what members had in each of some periods of a unit, and their ranks. It writes nothing. A period costs two commands, one
-- more for counts by action, and one for each member where ranks are asked for. What is more than a page begins the next one.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg unit              text    the unit's code
-- @arg from              int     the first period: its number, or how many periods before the last one
-- @arg is_back           int     1: the latter
-- @arg until_number      text    the last period's number; empty for the current one
-- @arg most              int     periods to answer at most: the first of them
-- @arg kept              int     seconds for which the unit's periods are kept after their end; 0 = for ever
-- @arg has_ranks         int     1: also their ranks
-- @arg has_actions       int     1: also what they did, by action
-- @args calendar
-- @each member                   a member that is asked for
-- @field id              text    the member's id
-- @returns OK                    what was found
-- @field now_ms          int     Unix milliseconds
-- @field current         int     the number of the current period
-- @field ends_at         int?    seconds: when the current period ends; empty of all time
-- @field next            int?    the period after the last one that is answered; empty where none is left
-- @field next_starts_at  int?    seconds: when that starts
-- @field hidden          text    for each member 1 where it is not shown, else 0
-- @group point                   a period of a member: all members of one period after the other, the oldest first; none from the one after
--                                the current one on
-- @field number          int     the period's number
-- @field starts_at       int?    seconds: when it starts; empty of all time
-- @field is_kept         flag    whether it is kept
-- @field is_there        flag    whether anything is there
-- @field score           number? what the member has; empty when it is not on the board, or not shown
-- @field higher          count?  how many members have more; empty when that was not asked for, too
-- @field tally           text    what the member did, by action: "action count sum …"; empty when that was not asked for
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local clock, refusal = read_clock(board, zone, day_starts_at, {})
if refusal then return refusal end
local call, asked, hidden = redis.call, {}, {}
for i = members, #ARGV do
  asked[#asked + 1] = ARGV[i]
end
for i, curated in ipairs(call('ZMSCORE', curated_key(board), unpack(asked))) do
  hidden[i] = tonumber(curated or 0) < 0 and 1 or 0
end
local current = period_number(unit, clock, week_starts_on)
local last = math.min(tonumber(until_number) or current, current)
local first = is_back == 1 and last - from or from
local earliest = period_bounds(clock.rows, unit, first, week_starts_on)
if earliest and earliest <= clock.rows[1].from then
  local _, shortest = unit_of(unit)
  local YEAR = 366 * 86400
  return { 'SPAN', clock.now_ms, math.floor(clock.now - (current - first) * shortest * 1.3 - YEAR), clock.now + YEAR }
end
local _, current_ends_at = period_bounds(clock.rows, unit, current, week_starts_on)
local answered = math.min(last, first + most - 1)
local after = answered < last and answered + 1
local after_at = after and period_bounds(clock.rows, unit, after, week_starts_on)
local reply = { 'OK', clock.now_ms, current, current_ends_at or '', after or '', after_at or '', table.concat(hidden) }
for number = first, answered do
  local key = period_key(board, unit, number)
  local starts_at, ends_at = period_bounds(clock.rows, unit, number, week_starts_on)
  local is_kept = kept == 0 or ends_at + kept > clock.now
  local is_there = is_kept and call('EXISTS', key) == 1
  local scores = is_there and call('ZMSCORE', key, unpack(asked)) or {}
  local tallies = is_there and has_actions == 1 and call('HMGET', actions_key(key), unpack(asked)) or {}
  for i = 1, #asked do
    local score, size = hidden[i] == 0 and scores[i], #reply
    reply[size + 1], reply[size + 2] = number, starts_at or ''
    reply[size + 3], reply[size + 4] = is_kept and 1 or 0, is_there and 1 or 0
    reply[size + 5] = score and string.format('%.17g', score) or ''
    reply[size + 6] = score and has_ranks == 1 and call('ZCOUNT', key, '(' .. score, '+inf') or ''
    reply[size + 7] = score and tallies[i] or ''
  end
end
return reply
