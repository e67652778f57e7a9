-- due_boards: the boards of templates that upkeep is to look at now, those that wait longest first. It writes nothing.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg most              int     how many to answer at most
-- @returns OK                    these
-- @field now             int     Unix seconds
-- @field rest            count   seconds until upkeep is to look at another one; 0: now, or at none
-- @group board                   one of them
-- @field name            text    its name
-- @field entered         text    since when it was to be looked at, as the set has it
-- @field state           text    waiting, open, closed, archiving, copying, archived, opening or going; empty where there is none
-- @field since           int     milliseconds: since when it is on its way to the archive or back; 0: it is not
-- @returns LOST                  Redis lost the set, or the site never had one: see list_due

local now_ms, names, entered, rest = now_in_ms(), {}, {}, 0
local listed = redis.call('ZRANGE', registry_due_key(board), 0, most + 1, 'WITHSCORES')
if listed[1] ~= '' then return { 'LOST' } end
local now = math.floor(now_ms / 1000)
for i = 3, #listed, 2 do
  local at = tonumber(listed[i + 1])
  if at > now or #names == most then
    rest = math.max(0, at - now)
    break
  end
  names[#names + 1], entered[#entered + 1] = listed[i], listed[i + 1]
end
local reply = { 'OK', now, rest }
if #names == 0 then return reply end
for i, entry in ipairs(redis.call('HMGET', registry_key(board), unpack(names))) do
  local made, starts, ends, going, _, phase, since = read_board_entry(entry)
  reply[#reply + 1] = names[i]
  reply[#reply + 1] = entered[i]
  reply[#reply + 1] = made and (board_state(now_ms, starts, ends, going, phase)) or ''
  reply[#reply + 1] = since or 0
end
return reply
