-- put_board: puts back what is known of a board of a template, in place of what Redis has, which may be an earlier one. What is on its way goes on.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg name              text    its name, "level:42"
-- @arg entry             text    see write_board_entry
-- @returns OK                    it is there
-- @fields board_entry

local now_ms, at_once = now_in_ms()
local _, _, _, going, _, phase = read_board_entry(entry)
redis.call('HSET', registry_key(board), name, entry)
redis.call('ZADD', registry_names_key(board), 0, name)
if going > 0 then
  redis.call('ZADD', registry_going_key(board), now_ms, name)
elseif phase ~= '' then
  redis.call('ZADD', registry_due_key(board), at_once, name)
end
local reply = { 'OK' }
add_board_entry(reply, now_ms, entry)
return reply
