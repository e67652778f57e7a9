-- behind: some members whom the archive of a period is behind with, as Redis has them now, and what is noted of them, see put_behind. It writes nothing.
--
-- What is noted is a line for each change: "at score tally", what the member had until that instant (microseconds).
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg unit              text    the unit's code
-- @arg number            int     the period's number
-- @arg taken             int     1: those that were taken, see archive; 0: those that are noted
-- @arg cursor            text    "0" at first, then what the call before answered
-- @arg count             int     about how many members to answer
-- @returns OK                    the members; some may come twice
-- @field is_there        flag    whether Redis has the period
-- @field cursor          text    the cursor to go on from; "0" when these were the last
-- @group member                  a member
-- @field id              id      the member's id
-- @field score           number  its score; 0 when it is not on the board
-- @field tally           text    "action count sum …", where counts by action are kept
-- @field taken           text    what was noted until it was taken; empty of those that were not
-- @field since           text    what was noted since

local call, key = redis.call, period_key(board, unit, number)
local behind = behind_key(key)
local scanned = call('HSCAN', taken == 1 and taken_key(behind) or behind, cursor, 'COUNT', count)
local reply, names, noted = { 'OK', call('EXISTS', key), scanned[1] }, {}, {}
for i = 1, #scanned[2], 2 do
  if not is_mark(scanned[2][i]) then
    names[#names + 1], noted[#noted + 1] = scanned[2][i], scanned[2][i + 1]
  end
end
if not names[1] then return reply end
local scores, tallies = call('ZMSCORE', key, unpack(names)), call('HMGET', actions_key(key), unpack(names))
local since = taken == 1 and call('HMGET', behind, unpack(names)) or noted
for i, name in ipairs(names) do
  local fields = { name, scores[i] or '0', tallies[i] or '', taken == 1 and noted[i] or '', since[i] or '' }
  for _, field in ipairs(fields) do
    reply[#reply + 1] = field
  end
end
return reply
