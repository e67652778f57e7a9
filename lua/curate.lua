-- curate: hides or pins a member of a board, takes that back, or lists who is. Its counting goes on.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg list              text    hidden or pinned
-- @arg verb              text    put, delete or list
-- @arg id                text    the member's; empty for list
-- @arg max_size          int     how many members the list may have
-- @returns OK                    it is done
-- @field size            count   members on the list
-- @group member                  for the verb list, a member on it; pinned ones in their order
-- @field id              id      the member's id
-- @returns FULL                  there is no room
-- @field size            count   members on the list

local key, call = board .. ':' .. list, redis.call
if list ~= 'hidden' and list ~= 'pinned' then return redis.error_reply('ERR curate: neither hidden nor pinned: ' .. list) end
local function size() return call(list == 'hidden' and 'SCARD' or 'ZCARD', key) end
if verb == 'list' then
  local members = list == 'hidden' and call('SMEMBERS', key) or call('ZRANGE', key, 0, -1)
  if list == 'hidden' then table.sort(members) end
  return { 'OK', #members, unpack(members) }
elseif verb == 'delete' then
  call(list == 'hidden' and 'SREM' or 'ZREM', key, id)
elseif list == 'hidden' then
  if call('SISMEMBER', key, id) == 0 and size() >= max_size then return { 'FULL', size() } end
  call('SADD', key, id)
elseif not call('ZSCORE', key, id) then
  if size() >= max_size then return { 'FULL', size() } end
  local last = call('ZRANGE', key, -1, -1, 'WITHSCORES')
  call('ZADD', key, (tonumber(last[2]) or 0) + 1, id)
end
return { 'OK', size() }
