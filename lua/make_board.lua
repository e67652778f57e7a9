-- make_board: makes a board of a template, or changes what is said of one. One that is to be archived is not where it goes on.
--
-- @key board                     what the site's own keys begin with, "eb:{site}"
-- @arg name              text    its name, "level:42"
-- @arg prefix            text    what the names of its template's boards begin with, "level:"
-- @arg most              int     how many the template may have
-- @arg quota             int     how many the site may have of all templates; -1: any number
-- @arg only_new          int     1: one that is there stays as it is
-- @arg title             text    what it is called
-- @arg starts            int     when it begins, in Unix milliseconds; 0: at once
-- @arg ends              int     when it ends; 0: never
-- @returns OK                    it is there
-- @field is_new          flag    whether it was not there before
-- @fields board_entry
-- @returns GOING                 it is being deleted; nothing was done
-- @returns FULL                  the template has as many as it may; nothing was done
-- @returns OVER                  the site has as many as it may; nothing was done

local key, names, now_ms = registry_key(board), registry_names_key(board), now_in_ms()
local entry = redis.call('HGET', key, name)
local made, _, _, going, _, phase, since = read_board_entry(entry)
if made and going > 0 then return { 'GOING' } end
if not made and redis.call('ZLEXCOUNT', names, '[' .. prefix, '[' .. prefix .. '\255') >= most then return { 'FULL' } end
if not made and quota >= 0 and redis.call('ZCARD', names) >= quota then return { 'OVER' } end
if not made or only_new == 0 then
  if phase == 'archiving' and (ends == 0 or ends > now_ms) then phase = '' end
  entry = write_board_entry(made or now_ms, starts, ends, 0, title, phase or '', since)
  redis.call('HSET', key, name, entry)
  redis.call('ZADD', names, 0, name)
end
local reply = { 'OK', made and 0 or 1 }
add_board_entry(reply, now_ms, entry)
return reply
