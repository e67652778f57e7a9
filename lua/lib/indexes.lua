-- indexes: orders of ties, distinct scores, and entries of members, as a batch reads and writes them.
-- @use hashes, tracked_hashes

-- change_distinct: how the distinct scores of a board change, see distinct: which come, and which nobody has any more. `change` tells by score how many
-- members more hold it, or fewer. Their holders are counted in a hash beside them. Reads that with one command. nil where they are not kept, unless the board
-- `is_made`.
local function change_distinct(key, holders_key, change, is_made)
  local texts = {}
  change[0] = nil
  for score in pairs(change) do
    texts[#texts + 1] = string.format('%.17g', score)
  end
  local holders = redis.call('HMGET', holders_key, '\0', unpack(texts))
  if not (holders[1] or is_made) then return nil end
  -- Upkeep builds an index from the highest score down, see build_holders: lower ones are left to it.
  local is_built = is_made or holders[1] == '-inf'
  local from = is_built and -math.huge or tonumber(holders[1])
  local come, dropped, counts, none = is_made and { '-inf', '\0' } or {}, {}, is_made and { '\0', '-inf' } or {}, {}
  for i = 1, #texts do
    local old, score = tonumber(holders[i + 1] or 0), tonumber(texts[i])
    local new = old + change[score]
    if score >= from and new > 0 then
      counts[#counts + 1], counts[#counts + 2] = texts[i], string.format('%d', new)
      if old <= 0 then
        come[#come + 1], come[#come + 2] = texts[i], texts[i]
      end
    elseif score >= from then
      none[#none + 1], dropped[#dropped + 1] = texts[i], texts[i]
    end
  end
  redis.call('ZSCORE', key, '\0')
  return { key = key, holders_key = holders_key, come = come, dropped = dropped, holders = counts, holders_dropped = none }
end

-- load_distinct: how the distinct scores of a board change with what was counted in tables.
local function load_distinct(c, board)
  local change, key, generation = {}, board.key, c.index_generation
  for _, member in ipairs(board.members) do
    local old, new = board.was[member], board.score[member]
    if old ~= new then
      change[old], change[new] = (change[old] or 0) - 1, (change[new] or 0) + 1
    end
  end
  board.distinct = change_distinct(index_key(key, 'distinct', generation), index_key(key, 'holders', generation), change, board.made)
end

-- read_distinct: how the distinct scores of the boards of a plan change where a member has other scores, each false where they do not. `old` are its scores of
-- before, false where it has none, and `new` those of after, 0 for none.
local function read_distinct(plan, old, new)
  local changes = {}
  for i = 1, #new do
    local was, is = old[i] or 0, new[i]
    changes[i] = was ~= is and change_distinct(plan.distinct[i], plan.holders[i], { [was] = -1, [is] = 1 }, false) or false
  end
  return changes
end

-- load_ties: reads the sequence numbers of a board's members from its order of ties, from the index after `from` on. `wanted` are
-- their names after a mark.
local function load_ties(c, board, from, wanted)
  wanted[1] = '\0'
  local ties = c.indexes.ties
  board.ties_key = index_key(board.key, ties, c.index_generation)
  local sort_keys = redis.call('ZMSCORE', board.ties_key, unpack(wanted))
  board.has_ties = sort_keys[1] and true
  for i = from + 1, #board.members do
    local member = board.members[i]
    local sort_key, score = sort_keys[i - from + 1], board.was[member]
    local sequence = sort_key and score ~= 0 and unpack_sequence(tonumber(sort_key), score, ties) or 0
    board.sequence[member], board.sequence_was[member] = sequence, sequence
  end
end

-- sequence_without: the sequence number that a member goes back to on a period's board when a tracked action is undone. When that
-- action was the member's last one, it is the number of the one before it that was not undone, as if the action had never
-- been done. `before` is the member's number until now.
local function sequence_without(c, tracked, unit, before)
  local earlier, bucket, ends_at = tracked.before[unit] or 0, use_bucket(c)
  local buckets, i = tracked_buckets(c, 1), 1
  while earlier ~= 0 and buckets[i] do
    local again = get_field(hash_of(c.hashes, undone_key(c.board, buckets[i])), text_of(earlier) .. unit)
    -- What was undone earlier may lead to what was undone later.
    i = again and 1 or i + 1
    earlier = tonumber(again or earlier)
  end
  local hash = hash_of(c.hashes, undone_key(c.board, bucket))
  set_field(hash, text_of(tracked.sequence) .. unit, text_of(earlier))
  keep_until(hash, ends_at + c.actor_history)
  -- Also when the action made the member's sum zero, so that it left the board.
  return (before == tracked.sequence and earlier ~= 0 or before == 0) and earlier or before
end

-- store_distinct: writes the distinct scores of a board, and how many members hold each.
local function store_distinct(distinct)
  local call, key, holders_key = redis.call, distinct.key, distinct.holders_key
  if distinct.come[1] then call('ZADD', key, unpack(distinct.come)) end
  if distinct.dropped[1] then call('ZREM', key, unpack(distinct.dropped)) end
  if distinct.holders[1] then call('HSET', holders_key, unpack(distinct.holders)) end
  if distinct.holders_dropped[1] then call('HDEL', holders_key, unpack(distinct.holders_dropped)) end
end

-- put_distinct: writes what read_distinct found.
local function put_distinct(changes)
  for i = 1, #changes do
    if changes[i] then store_distinct(changes[i]) end
  end
end

-- entry_text: an entry of what an actor did, the call's e-th event: "what times action", a line feed and the item; `what` makes it one of its own.
local function entry_text(c, e, times, action, item)
  local what = string.format('e%010.0f', ((c.now_us or c.instant) + e) % 1e10)
  return string.format('%s %d %s\n%s', what, times, action, item)
end

-- put_entries: adds entries of an actor by a command, and drops the oldest. Entries count nothing. So what somebody else left at such a key is left
-- alone, and the event counts.
local function put_entries(c, command)
  if type(redis.pcall(unpack(command))) ~= 'number' then return end
  redis.call('ZREMRANGEBYRANK', command[2], 0, -c.indexes.entries - 1)
  redis.call('EXPIRE', command[2], c.indexes.entries_for)
end

-- store_entries: remembers one by one what actors did that cannot be undone, on an activity log that does: of each actor the latest ones.
local function store_entries(c)
  local batch, of, keys = c.batch, {}, {}
  for e = 1, batch.items and batch.count or 0 do
    local item = batch.items[e]
    if item and batch.outcomes[e] == 'c' then
      local key = entries_key(c.board, batch.names[batch.members[e]])
      if not of[key] then
        of[key], keys[#keys + 1] = { 'ZADD', key }, key
      end
      of[key][#of[key] + 1] = string.format('%d', batch.instants[e])
      of[key][#of[key] + 1] = entry_text(c, e, batch.times[e] or 1, batch.actions[e], item)
    end
  end
  for _, key in ipairs(keys) do
    put_entries(c, of[key])
  end
end

-- note_entry: remembers what an event of now did, see store_entries. `item` is nil where that can be undone.
local function note_entry(c, member, at, action, item)
  if not (item and c.indexes.entries) then return end
  local times = c.entry and c.entry.times or 1
  put_entries(c, { 'ZADD', entries_key(c.board, member), string.format('%d', at), entry_text(c, 1, times, action, item) })
end

-- store_ties: writes the sort keys of members whose score or sequence number changed, and removes those that left. An order of ties
-- begins with its board: one that began later would never be whole.
local function store_ties(c, board, dropped)
  if not (board.has_ties or board.made) then return end
  local names, come, ties = c.batch.names, {}, c.indexes.ties
  for _, member in ipairs(board.members) do
    local score, sequence = board.score[member], board.sequence[member]
    if score ~= 0 and (score ~= board.was[member] or sequence ~= board.sequence_was[member]) then
      come[#come + 1] = string.format('%.17g', pack_sort_key(score, sequence, ties))
      come[#come + 1] = names[member]
    end
  end
  if not board.has_ties then
    come[#come + 1], come[#come + 2] = '-inf', '\0'
  end
  if #come > 0 then redis.call('ZADD', board.ties_key, unpack(come)) end
  if #dropped > 0 then redis.call('ZREM', board.ties_key, unpack(dropped)) end
end

-- follow_ties: the sequence number of a member on a period's board after an entry, in tables: of its latest event there that was not
-- undone. A rolling board asks the base boards for what an undo, or a sum of zero, leaves.
local function follow_ties(c, entry, period, new)
  local board, member, tracked = period.board, entry.member, entry.tracked
  local before = board.sequence[member]
  local sequence
  if entry.undoes then
    sequence = sequence_without(c, tracked, period.unit, before)
  else
    if tracked then tracked.before[period.unit] = before end
    -- Late events come in no order.
    sequence = math.max(c.first_sequence + entry.event, before)
  end
  local latest = period.touched[member]
  period.touched[member] = not entry.undoes and new ~= 0 and latest ~= false and math.max(sequence, latest or 0)
  board.sequence[member] = new ~= 0 and sequence or 0
end
