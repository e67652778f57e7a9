-- facts: what is known of items, as one reads it to choose the boards of events. It writes nothing.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @each item                     one that is asked for
-- @field id              text    its id
-- @returns OK                    what is known
-- @group fact per item           of each in order
-- @field known           text    see note_facts; empty where nothing is

local reply, ids = { 'OK' }, {}
for i = items, #ARGV do
  ids[#ids + 1] = ARGV[i]
end
for i, known in ipairs(redis.call('HMGET', facts_key(board), unpack(ids))) do
  reply[i + 1] = known or ''
end
return reply
