-- find_boards: how some boards of templates are. It writes nothing.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @each name                     one that is asked for
-- @field name            text    its name, "level:42"
-- @returns OK                    what is known
-- @group board per name          of each in order
-- @field state           text    waiting, open, closed, archiving, copying, archived, opening or going; empty where there is none
-- @field rest            count   milliseconds for which it stays so by itself; 0: for ever
-- @field entry           text    its entry, see write_board_entry; empty where there is none

local reply, asked, now_ms = { 'OK' }, {}, now_in_ms()
for i = names, #ARGV do
  asked[#asked + 1] = ARGV[i]
end
for _, entry in ipairs(redis.call('HMGET', registry_key(board), unpack(asked))) do
  add_board_entry(reply, now_ms, entry)
end
return reply
