-- curate: hides or pins a member of a board, takes that back, or lists who is. Its counting goes on.
--
-- @key board                   prefix of the board's keys, "eb:{site:board}"
-- @arg list            text    hidden or pinned
-- @arg verb            text    put, delete or list
-- @arg id              text    of the member; empty for list
-- @arg max_size        number  how many may be on the list
-- @returns OK          'OK', members on the list, then for list those, the pinned in their order
-- @returns FULL        'FULL', members on the list: there is no room

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
