-- forget_boards: ends a scan of scan_boards. The boards whose keys it deleted are there no more, and their names are free.
--
-- @frees memory       it deletes entries
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg owner             text    who scanned
-- @each name                     a board whose keys are deleted
-- @field name            text    its name
-- @returns OK                    they are forgotten
-- @returns BUSY                  another owner scans; nothing was done

local scan, forgotten = registry_scan_key(board), {}
if redis.call('HGET', scan, 'owner') ~= owner then return { 'BUSY' } end
for i = names, #ARGV do
  forgotten[#forgotten + 1] = ARGV[i]
end
redis.call('HDEL', registry_key(board), unpack(forgotten))
redis.call('ZREM', registry_names_key(board), unpack(forgotten))
redis.call('ZREM', registry_going_key(board), unpack(forgotten))
redis.call('ZREM', registry_due_key(board), unpack(forgotten))
redis.call('UNLINK', scan)
return { 'OK' }
