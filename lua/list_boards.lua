-- list_boards: the boards of a template, in the order of their names, from a place on. It writes nothing.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg prefix            text    what their names begin with, "level:"; empty: those of all templates
-- @arg after             text    the name before the first one, or empty
-- @arg limit             int     how many to answer at most
-- @returns OK                    these
-- @field total           count   how many there are
-- @group board                   one of them
-- @field name            text    its name
-- @field state           text    waiting, open, closed, archiving, copying, archived, opening or going; empty where there is none
-- @field rest            count   milliseconds for which it stays so by itself; 0: for ever
-- @field entry           text    its entry, see write_board_entry; empty where there is none

local key, now_ms = registry_names_key(board), now_in_ms()
local first, last = prefix == '' and '-' or '[' .. prefix, prefix == '' and '+' or '[' .. prefix .. '\255'
local listed = redis.call('ZRANGEBYLEX', key, after == '' and first or '(' .. after, last, 'LIMIT', 0, limit)
local reply = { 'OK', redis.call('ZLEXCOUNT', key, first, last) }
if #listed == 0 then return reply end
for i, entry in ipairs(redis.call('HMGET', registry_key(board), unpack(listed))) do
  reply[#reply + 1] = listed[i]
  add_board_entry(reply, now_ms, entry)
end
return reply
