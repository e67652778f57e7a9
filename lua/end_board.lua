-- end_board: begins to delete a board of a template. It takes no events and shows nothing from then on; scan_boards deletes its keys.
--
-- @frees memory       what it writes is less than the keys of a board
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg name              text    its name, "level:42"
-- @returns OK                    it is being deleted
-- @fields board_entry
-- @returns NONE                  there is none

local key, now_ms = registry_key(board), now_in_ms()
local entry = redis.call('HGET', key, name)
local made, starts, ends, going, title, phase, since = read_board_entry(entry)
if not made then return { 'NONE' } end
if going == 0 then
  entry = write_board_entry(made, starts, ends, now_ms, title, phase, since)
  redis.call('HSET', key, name, entry)
  redis.call('ZADD', registry_going_key(board), now_ms, name)
end
local reply = { 'OK' }
add_board_entry(reply, now_ms, entry)
return reply
