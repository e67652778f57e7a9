-- scan: some members of a period, best first, from a place on, for who archives it. Members that are hidden or below `min_score` are
-- among them. It writes nothing.
--
-- A member that is not written meanwhile is met exactly once, as the place is a score and a member, not a number.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg unit              text    the unit's code
-- @arg number            int     the period's number
-- @arg copy              text    what was moved aside under that name, see copy_key; empty for the period itself
-- @arg ties              text    who stands first among ties: first, last, or empty for the order of ids
-- @arg tallied           int     1: tell what each member did by action
-- @arg place             text    empty at first, then what the call before answered
-- @arg count             int     members to answer at most, at least 1
-- @returns OK                    the members
-- @field place           text    the place to go on from; empty when these were the last
-- @group member                  a member
-- @field id              id      the member's id
-- @field score           number  its score
-- @field tally           text    "action count sum …"; empty where it was not asked for, or is not kept

local key = period_key(board, unit, number)
local order = ties ~= '' and (copy ~= '' and index_key(copy_key(key, copy), ties, '0') or live_order(board, key, ties))
if copy ~= '' then key = copy_key(key, copy) end
-- Marks are in one of them alone.
local size = redis.call('ZCOUNT', key, '(-inf', '+inf')
local tallies_key = actions_key(key)
local is_packed = order and redis.call('ZCOUNT', order, '(-inf', '+inf') == size
if is_packed then key = order end
local from = place == '' and 0 or redis.call('ZCARD', key) - count_below(key, place)
local both = redis.call('ZREVRANGE', key, from, from + count - 1, 'WITHSCORES')
local reply = { 'OK', #both == 2 * count and both[#both] .. ' ' .. both[#both - 1] or '' }
local members = {}
for i = 1, #both, 2 do
  if not is_mark(both[i]) then
    members[#members + 1] = both[i]
    reply[#reply + 1] = both[i]
    reply[#reply + 1] = string.format('%.17g', is_packed and unpack_score(tonumber(both[i + 1])) or both[i + 1])
    reply[#reply + 1] = ''
  end
end
if tallied == 0 or #members == 0 then return reply end
for i, stored in ipairs(redis.call('HMGET', tallies_key, unpack(members))) do
  reply[3 * i + 2] = stored or ''
end
return reply
