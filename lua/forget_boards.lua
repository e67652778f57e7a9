-- forget_boards: ends a scan of scan_boards. The boards that are going and whose keys it deleted are there no more, and their names are free. Of archived
-- ones the keys are deleted; one that wants it anew since waits for the next scan.
--
-- @frees memory       it deletes entries
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg owner             text    who scanned
-- @each name                     a board whose keys are deleted
-- @field name            text    its name
-- @returns OK                    they are forgotten
-- @returns BUSY                  another owner scans; nothing was done

local going_key, scan, forgotten, dropped = registry_going_key(board), registry_scan_key(board), {}, {}
local noted = redis.call('HMGET', scan, 'owner', 'began')
if noted[1] ~= owner then return { 'BUSY' } end
for i = names, #ARGV do
  local made, _, _, going = read_board_entry(redis.call('HGET', registry_key(board), ARGV[i]))
  if made and going == 0 then
    local since = redis.call('ZSCORE', going_key, ARGV[i])
    if since and tonumber(since) < tonumber(noted[2]) then dropped[#dropped + 1] = ARGV[i] end
  else
    forgotten[#forgotten + 1] = ARGV[i]
  end
end
if #dropped > 0 then redis.call('ZREM', going_key, unpack(dropped)) end
if #forgotten > 0 then
  redis.call('HDEL', registry_key(board), unpack(forgotten))
  redis.call('ZREM', registry_names_key(board), unpack(forgotten))
  redis.call('ZREM', going_key, unpack(forgotten))
  redis.call('ZREM', registry_due_key(board), unpack(forgotten))
end
redis.call('UNLINK', scan)
return { 'OK' }
