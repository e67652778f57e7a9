-- removed: members that were removed, and until when.
-- @use clock

-- find_moved: what is said of some members that were removed from a board, as a list: "off 1795176000000" (milliseconds) of one that is
-- kept off since then, "in …" of one that was let in again, "to … /new" of one that became another one. The field of a prefix begins with "\0".
-- `moved` is the state's field: how many fields there are by the length of the prefix, 0 for whole ids: "0=12 6=1". So a batch costs one command.
local function find_moved(board, moved, names)
  local fields, slots, found = {}, {}, {}
  for length in string.gmatch(moved, '(%d+)=') do
    length = tonumber(length)
    for i = 1, #names do
      if #names[i] >= length then
        fields[#fields + 1] = length == 0 and names[i] or '\0' .. string.sub(names[i], 1, length)
        slots[#slots + 1] = i
      end
    end
  end
  local values = #fields > 0 and redis.call('HMGET', moved_key(board), unpack(fields)) or {}
  for f = 1, #fields do
    local value, before = values[f], found[slots[f]]
    -- What became another one counts for that. Kept off by one of them is kept off; let in by several counts from the last time on.
    if value and (not before or value > before) then found[slots[f]] = value end
  end
  return found
end

-- leave_out_moved: gives the events of members that are kept off the board the outcome g, by what was found of them. Answers when members were removed
-- (milliseconds), by their numbers: what was done before that cannot be undone.
local function leave_out_moved(batch, found)
  local moved_at = {}
  for member, stored in pairs(found) do
    moved_at[member] = tonumber(string.match(stored, '%d+$'))
  end
  for e = 1, batch.count do
    local stored = found[batch.members[e]]
    if batch.outcomes[e] == 'c' and stored and string.sub(stored, 1, 3) == 'off' then batch.outcomes[e] = 'g' end
  end
  return moved_at
end

-- list_moved: the reply that lists a part of who is kept off a board. The cursor of a scan means nothing to another server: there, some
-- may come twice or be missed. Since when they are is told by moved_until.
local function list_moved(board, size, cursor)
  local scanned = redis.call('HSCAN', moved_key(board), cursor, 'COUNT', 1000)
  local fields, reply = scanned[2], { 'OK', size, scanned[1] ~= '0' and scanned[1] or '' }
  for i = 1, #fields, 2 do
    local since_ms = string.match(fields[i + 1], '^off (%d+)$')
    if since_ms then
      local is_prefix = string.byte(fields[i], 1) == 0
      reply[#reply + 1] = is_prefix and 1 or 0
      reply[#reply + 1] = is_prefix and string.sub(fields[i], 2) or fields[i]
      reply[#reply + 1] = math.max(0, since_ms - STEP_BACK_MS)
    end
  end
  return reply
end

-- moved_counts: the state's `moved` with a field more, or so many, of a length of prefixes, see find_moved; nil where that is one length
-- too many. Besides lengths it counts `items`, those that became others where items are no members, and `merging`, those into which others are
-- being made.
local function moved_counts(text, of, more)
  local MOST_LENGTHS, words, lengths, is_there = 9, {}, 0, false
  of = tostring(of)
  for word, count in string.gmatch(text or '', '(%w+)=(%d+)') do
    if word == of then
      is_there, count = true, count + (more or 1)
    end
    if tonumber(count) > 0 then
      words[#words + 1] = string.format('%s=%d', word, count)
      if tonumber(word) then lengths = lengths + 1 end
    end
  end
  if not is_there then
    words[#words + 1] = string.format('%s=%d', of, more or 1)
    if tonumber(of) then lengths = lengths + 1 end
  end
  return lengths <= MOST_LENGTHS and table.concat(words, ' ') or nil
end

-- moved_until: the instant (milliseconds) until which what was recorded of a member goes with a removal of now: as far ahead as the clock can have been
-- that went back a little since, and behind what was recorded after earlier removals on the board, see recorded_at. That is so many at most of an
-- action of an actor until the clock is there.
local function moved_until(clock)
  local RECORDED, latest = 1000, tonumber(clock.state.moved_at or 0)
  return math.max(clock.now_ms + STEP_BACK_MS, latest + RECORDED)
end

-- note_removal: notes how far a removal is, so that a request that comes again goes on there; '' where it has ended. What is an hour old
-- is forgotten: others may have changed the boards since.
local function note_removal(context, field, place)
  local KEPT_S, key = 3600, removing_key(context.board)
  if not context.removal then return end
  redis.call('HSET', key, field, context.removal .. ' ' .. place)
  redis.call('EXPIRE', key, KEPT_S)
end

-- removal_place: where a removal goes on that was begun and not ended, as note_removal noted it: a place of drop_from_boards; '' where it has
-- ended, and '1' where it begins. `removal` tells which one it is: since when the member, or the prefix, is kept off, and from which boards
-- it is taken.
local function removal_place(context, field)
  local since = string.match(redis.call('HGET', moved_key(context.board), field) or '', '^off (%d+)$')
  context.removal = since and since .. ' ' .. redis.sha1hex(context.units .. ' ' .. context.rolling .. ' ' .. context.decaying)
  local noted = context.removal and redis.call('HGET', removing_key(context.board), field) or ''
  if string.sub(noted, 1, #noted > 0 and #context.removal or 0) ~= context.removal then return '1' end
  return string.sub(noted, #context.removal + 2)
end

-- unpin: takes a member from those that are pinned; one that is hidden as well stays hidden. See curate.
local function unpin(context, id)
  local key = curated_key(context.board)
  local curated = tonumber(redis.call('ZSCORE', key, id) or -1)
  if curated == -1 then return end
  if curated > 0 then
    redis.call('ZREM', key, id)
  else
    redis.call('ZADD', key, -1, id)
  end
  context.is_changed = true
end
