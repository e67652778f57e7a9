-- sweep_boards: some boards of templates that upkeep is not to look at, others each time, so that it finds those whose entry Redis lost. It writes
-- nothing.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg every             int     seconds after which it is the turn of others
-- @arg most              int     how many boards have their turn together
-- @returns OK                    those of them that are not in the set, see enter_boards, and whose keys are not being deleted
-- @group board                   one of them
-- @field name            text    its name
-- @field state           text    waiting, open, closed, archiving, copying, archived or opening
-- @field since           int     milliseconds: since when it is on its way to the archive or back; 0: it is not

local now_ms, names_key, reply = now_in_ms(), registry_names_key(board), { 'OK' }
local count = redis.call('ZCARD', names_key)
if count == 0 then return reply end
local first = math.floor(now_ms / 1000 / every) * most % count
local names = redis.call('ZRANGE', names_key, first, first + most - 1)
local entered = redis.call('ZMSCORE', registry_due_key(board), unpack(names))
local leaving = redis.call('ZMSCORE', registry_going_key(board), unpack(names))
for i, entry in ipairs(redis.call('HMGET', registry_key(board), unpack(names))) do
  local made, starts, ends, _, _, phase, since = read_board_entry(entry)
  if made and not entered[i] and not leaving[i] then
    reply[#reply + 1] = names[i]
    reply[#reply + 1] = (board_state(now_ms, starts, ends, 0, phase))
    reply[#reply + 1] = since
  end
end
return reply
