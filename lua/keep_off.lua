-- keep_off: keeps a member, or those whose ids begin with a prefix, off a board, lets them in again, or lists a part of who is kept off.
-- Events of who is kept off do not count there. Removing what they have is the work of `remove`.
--
-- A hash holds who was ever kept off: "off" or "in", and until when what was recorded goes with that, see moved_until. A member that was let in again stays in it,
-- so that what was done before it was removed is not undone.
--
-- @frees memory       it goes before a removal, and leaves a note
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg verb              text    put, delete or list
-- @arg id                text    the member's, or the prefix; for list where to go on, "0" at first
-- @arg is_prefix         int     1 for a prefix
-- @arg max_size          int     how many ids and prefixes there may be
-- @args calendar
-- @returns OK                    it is done
-- @field size            count   ids and prefixes
-- @field cursor          text    for list, where to go on; else empty, and at the end
-- @group member                  for list, who is kept off, in no order
-- @field is_prefix       flag    whether it is a prefix
-- @field id              id      the member's id, or the prefix
-- @field since_ms        count   Unix milliseconds
-- @returns FULL                  there is no room
-- @field size            count   ids and prefixes
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

local clock, refusal = read_clock(board, zone, day_starts_at, { 'moved', 'moved_at' })
if refusal then return refusal end
local stored, size = clock.state.moved or nil, 0
for count in string.gmatch(stored or '', '=(%d+)') do
  size = size + count
end
if verb == 'list' then return list_moved(board, size, id) end
if verb ~= 'put' and verb ~= 'delete' then return redis.error_reply('ERR keep_off: neither put, delete nor list: ' .. verb) end

local moved_at = string.format('%d', moved_until(clock))
local key, field = moved_key(board), is_prefix == 1 and '\0' .. id or id
local before = redis.call('HGET', key, field)
if verb == 'delete' then
  if not before or string.sub(before, 1, 3) ~= 'off' then return { 'OK', size, '' } end
  keep_clock(board, clock)
  redis.call('HSET', key, field, 'in ' .. moved_at)
  set_state(board, 'moved_at', moved_at)
  return { 'OK', size, '' }
end
if before and string.sub(before, 1, 3) == 'off' then return { 'OK', size, '' } end
if not before then
  stored = size < max_size and moved_counts(stored, is_prefix == 1 and #id or 0) or nil
  if not stored then return { 'FULL', size } end
  size = size + 1
end
keep_clock(board, clock)
redis.call('HSET', key, field, 'off ' .. moved_at)
set_state(board, 'moved', stored, 'moved_at', moved_at)
return { 'OK', size, '' }
