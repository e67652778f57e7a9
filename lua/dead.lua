-- dead: some dead letters, the oldest first. It writes nothing.
--
-- @key board                     what the keys of a site begin with, "eb:{site}"; "eb:unknown" for messages of sites that are not known
-- @arg after             text    the place of the letter before the first one, or empty
-- @arg limit             int     how many to answer at most
-- @returns OK                    these
-- @group letter                  one of them
-- @field place           text    where it is: Unix milliseconds of its death, and a number
-- @field code            text    why it cannot be counted, in a word
-- @field detail          text    the same, for people
-- @field sent_ms         count   Unix milliseconds: when it was sent
-- @field message         text    the message
-- @field version         text    which version of the worker could not count it, where another one may; else empty
-- @field counted         text    the targets that counted it all the same, with spaces between them

local reply = { 'OK' }
for _, letter in ipairs(redis.call('XRANGE', dead_key(board), after == '' and '-' or '(' .. after, '+', 'COUNT', limit)) do
  local fields = letter[2]
  reply[#reply + 1] = letter[1]
  reply[#reply + 1] = fields[2]
  reply[#reply + 1] = fields[4]
  reply[#reply + 1] = tonumber(fields[6])
  reply[#reply + 1] = fields[8]
  -- Letters of earlier versions lack these.
  reply[#reply + 1] = fields[10] or ''
  reply[#reply + 1] = fields[12] or ''
end
return reply
