-- keep_dead: writes dead letters, messages that cannot be counted, and takes others out, in one step. The oldest go when there are too many.
--
-- @key board                     what the keys of a site begin with, "eb:{site}"; "eb:unknown" for messages of sites that are not known
-- @arg kept              int     how many to keep, about
-- @arg dropped           text    the places of those to take out, with spaces between them
-- @each letter                   one to write
-- @field code            text    why it cannot be counted, in a word
-- @field detail          text    the same, for people
-- @field sent_ms         int     Unix milliseconds: when it was sent
-- @field message         text    the message
-- @field version         text    which version of the worker could not, where another one may; else empty
-- @field counted         text    the targets that counted it all the same, see Target::label, with spaces between them
-- @returns OK                    it is done

local places = {}
for place in string.gmatch(dropped, '%S+') do
  places[#places + 1] = place
end
for i = letters, #ARGV, 6 do
  local code, detail, sent_ms, message, version, counted = unpack(ARGV, i, i + 5)
  local letter = { 'code', code, 'detail', detail, 'sent', sent_ms, 'message', message, 'version', version, 'counted', counted }
  redis.call('XADD', dead_key(board), 'MAXLEN', '~', kept, '*', unpack(letter))
end
if #places > 0 then redis.call('XDEL', dead_key(board), unpack(places)) end
return { 'OK' }
