-- curate: hides or pins a member of a board, takes that back, or lists who is. Its counting goes on. A member that is hidden and pinned is
-- hidden.
--
-- One sorted set holds both lists: pinned members have the scores 1, 2, 3 … in their order. A hidden member has -1; one that is
-- pinned as well has -1 less its place.
--
-- @frees memory       it hides with one entry of a set that is bounded
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg list              text    hidden or pinned
-- @arg verb              text    put, delete or list
-- @arg id                text    the member's; empty for list
-- @arg max_size          int     how many members the list may have
-- @args calendar
-- @returns OK                    it is done
-- @field size            count   members on the list
-- @group member                  for the verb list, a member on it; pinned ones in their order
-- @field id              id      the member's id
-- @returns FULL                  there is no room
-- @field size            count   members on the list
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

if list ~= 'hidden' and list ~= 'pinned' then return redis.error_reply('ERR curate: neither hidden nor pinned: ' .. list) end
local clock, refusal = read_clock(board, zone, day_starts_at, {})
if refusal then return refusal end
if verb ~= 'list' then keep_clock(board, clock) end
local lists = read_lists(board)
local listed = lists[list]
if verb == 'list' then
  local place_of = lists.place_of
  table.sort(listed, list == 'pinned' and function(one, other) return place_of[one] < place_of[other] end or nil)
  return { 'OK', #listed, unpack(listed) }
end

local is_hidden, place = lists.is_hidden[id] or false, lists.place_of[id] or 0
local is_on, size = list == 'hidden' and is_hidden or list == 'pinned' and place > 0, #listed
if verb == 'put' and not is_on then
  if size >= max_size then return { 'FULL', size } end
  size = size + 1
  if list == 'hidden' then
    is_hidden = true
  else
    place = lists.last + 1
  end
elseif verb == 'delete' and is_on then
  size = size - 1
  if list == 'hidden' then
    is_hidden = false
  else
    place = 0
  end
else
  return { 'OK', size }
end
if is_hidden or place > 0 then
  redis.call('ZADD', curated_key(board), is_hidden and -1 - place or place, id)
else
  redis.call('ZREM', curated_key(board), id)
end
set_state(board, 'changed', clock.now_us, 'curated', clock.now_us)
return { 'OK', size }
