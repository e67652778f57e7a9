-- scan_boards: leads one owner at a time through the keys of a site, to delete those of boards that are going or archived: up to a thousand that
-- went long enough ago when the scan began. It begins anew on another server, where the cursor means nothing.
--
-- @frees memory       it is for the deletion of keys, and writes a few fields
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg owner             text    who scans
-- @arg wait              int     milliseconds after which no isolate writes to a board that is going
-- @arg lease             int     milliseconds for which nobody else scans
-- @arg cursor            text    the place behind the keys that were looked at; empty: go on where the scan is
-- @returns OK                    go on
-- @field cursor          text    from this place
-- @group board                   one whose keys are to be deleted
-- @field name            text    its name
-- @field is_archived     flag    whether its lists of hidden, pinned and removed members stay, and so does its entry
-- @returns NONE                  none is due
-- @field rest            count   milliseconds until one is; 0: none is going
-- @returns BUSY                  another owner scans

local key, scan, now_ms, run = registry_going_key(board), registry_scan_key(board), now_in_ms(), run_id()
local noted = redis.call('HMGET', scan, 'owner', 'until', 'began', 'cursor', 'run')
if noted[1] and noted[1] ~= owner and now_ms < tonumber(noted[2]) then return { 'BUSY' } end
local began, at = noted[3] and tonumber(noted[3]) or now_ms, noted[4] or '0'
local listed = redis.call('ZRANGEBYSCORE', key, '-inf', string.format('%.0f', began - wait), 'LIMIT', 0, 1000)
if #listed == 0 then
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  redis.call('UNLINK', scan)
  return { 'NONE', first and math.max(1, first + wait - now_ms) or 0 }
end
if cursor ~= '' and noted[1] == owner then at = cursor end
if noted[5] ~= run then at = '0' end
local fields = { 'owner', owner, 'until', string.format('%.0f', now_ms + lease), 'began', string.format('%.0f', began) }
redis.call('HSET', scan, 'cursor', at, 'run', run, unpack(fields))
local reply = { 'OK', at }
for i, entry in ipairs(redis.call('HMGET', registry_key(board), unpack(listed))) do
  local made, _, _, going = read_board_entry(entry)
  reply[#reply + 1] = listed[i]
  reply[#reply + 1] = made and going == 0 and 1 or 0
end
return reply
