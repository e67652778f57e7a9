-- due_sites: the sites of run time that upkeep is to look at now, those that wait longest first. It writes nothing.
--
-- @key due_set                   the sorted set of when upkeep looks at sites
-- @key changes                   the hash of when something last changed there
-- @arg most              int     how many to answer at most
-- @returns OK                    these
-- @field now             int     Unix seconds
-- @field rest            count   seconds until upkeep is to look at another one; 0: now, or at none
-- @group site                    one of them
-- @field name            text    its name
-- @field changed         text    when something last changed there (Unix seconds), as upkeep knows it; empty where that is not known
-- @returns LOST                  Redis lost the set, or there never was one: see enter_sites

local now, names, rest = redis.call('TIME')[1] + 0, {}, 0
local listed = redis.call('ZRANGE', due_set, 0, most + 1, 'WITHSCORES')
if listed[1] ~= '' then return { 'LOST' } end
for i = 3, #listed, 2 do
  local at = tonumber(listed[i + 1])
  if at > now or #names == most then
    rest = math.max(0, at - now)
    break
  end
  names[#names + 1] = listed[i]
end
local reply = { 'OK', now, rest }
if #names == 0 then return reply end
for i, changed in ipairs(redis.call('HMGET', changes, unpack(names))) do
  reply[#reply + 1] = names[i]
  reply[#reply + 1] = changed or ''
end
return reply
