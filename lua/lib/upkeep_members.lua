-- upkeep_members: reading the members of a board in chunks.

-- keep_options: the generation (text) of the indexes that writers keep under these options. Under other ones than before it is a new
-- one, so that no index that was left alone for a while is taken for whole. See settle_indexes.
local function keep_options(board, clock, indexes, writes)
  local kept = {}
  for _, index in ipairs({ 'first', 'last', 'dense' }) do
    if indexes[index] or indexes.ties == index then kept[#kept + 1] = index end
  end
  local options = table.concat(kept, ' ')
  local generation, before = string.match(clock.state.indexes or '0:', '^(%d+):(.*)$')
  if before == options then return generation end
  if clock.state.indexes then generation = string.format('%d', generation + 1) end
  if writes then set_state(board, 'indexes', string.format('%s:%s', generation, options), 'changed', clock.now_us, 'due', '') end
  return generation
end

-- board_context: what upkeep and erasure know of a board: its state, and which indexes it has under which generation.
local function board_context(board, clock, options, writes)
  local indexes = read_indexes(options)
  local generation = keep_options(board, clock, indexes, writes)
  local context = { board = board, clock = clock, ties = indexes.ties, is_dense = indexes.dense, index_generation = generation }
  context.policy = indexes.policy
  return context
end

-- rank_after: the rank, from the lowest score, at which the members after a place of a sorted set begin. The place is a score, as
-- Redis writes it, and a member. A member that is not written keeps that place, so a scan goes on behind it whatever others do.
local function rank_after(key, score, member)
  local call = redis.call
  if call('ZSCORE', key, member) == score then return call('ZRANK', key, member) + 1 end
  -- Redis orders members of one score by their bytes; Lua's own comparison goes by the locale.
  local function stands_behind(other)
    for i = 1, math.min(#other, #member) do
      local theirs, own = string.byte(other, i), string.byte(member, i)
      if theirs ~= own then return theirs > own end
    end
    return #other > #member
  end
  local low, high = call('ZCOUNT', key, '-inf', '(' .. score), call('ZCOUNT', key, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if stands_behind(call('ZRANGE', key, middle, middle)[1]) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

-- members_after: at most `count` members of a sorted set behind a place, from the lowest score on; '' is the place before all.
-- Answers the members without marks, their scores, and the place to go on from; nil when these were the last.
local function members_after(key, place, count)
  local from = 0
  if place ~= '' then
    local score, member = string.match(place, '^(%S+) (.*)$')
    from = rank_after(key, score, member)
  end
  local both, members, scores, first = redis.call('ZRANGE', key, from, from + count - 1, 'WITHSCORES'), {}, {}, 1
  while both[first + 1] == '-inf' do
    first = first + 2
  end
  for i = first, #both, 2 do
    members[#members + 1], scores[#scores + 1] = both[i], tonumber(both[i + 1])
  end
  return members, scores, #both == 2 * count and both[#both] .. ' ' .. both[#both - 1] or nil
end

-- sequences_on: the sequence numbers of members on a board, where they have these scores; 0 where none is known. See
-- pack_sort_key.
local function sequences_on(context, key, members, scores)
  local sort_keys = redis.call('ZMSCORE', index_key(key, context.ties, context.index_generation), unpack(members))
  local sequences = {}
  for i = 1, #members do
    sequences[i] = sort_keys[i] and scores[i] and unpack_sequence(tonumber(sort_keys[i]), scores[i], context.ties) or 0
  end
  return sequences
end

-- last_sequences: for each member its latest sequence number on the base boards from one period to another.
local function last_sequences(context, members, first, last)
  local latest = {}
  for i = 1, #members do
    latest[i] = 0
  end
  for number = first, last do
    local base = period_key(context.board, context.unit, number)
    local scores = redis.call('ZMSCORE', base, unpack(members))
    for i = 1, #members do
      scores[i] = scores[i] and tonumber(scores[i])
    end
    local sequences = sequences_on(context, base, members, scores)
    for i = 1, #members do
      latest[i] = math.max(latest[i], sequences[i])
    end
  end
  return latest
end

-- put_sequences: writes the order of ties of members who have these scores and sequence numbers.
local function put_sequences(context, key, members, scores, sequences)
  local set = {}
  for i = 1, #members do
    set[2 * i - 1], set[2 * i] = string.format('%.17g', pack_sort_key(scores[i], sequences[i], context.ties)), members[i]
  end
  if #set > 0 then redis.call('ZADD', index_key(key, context.ties, context.index_generation), unpack(set)) end
end

-- keeps_order: whether a board has an order of ties with all of its members. One begins with its board, and after a change of the options there
-- is none until the next one: whoever wrote some members into it would make it one that lacks the others.
local function keeps_order(context, key)
  if not context.ties then return false end
  local order = index_key(key, context.ties, context.index_generation)
  return redis.call('ZSCORE', order, '\0') and true
end
