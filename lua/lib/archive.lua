-- archive: moving periods to the archive and back.
-- @use behind, order, resets, tallies

-- add_restored: adds members of the archive, of each three texts from `first` on, to what is being restored of a period. What is rebuilt from several periods
-- is summed. `sequence` is that of the first member in the order of ties, where one is kept.
local function add_restored(context, copy, is_sum, texts, first, sequence)
  local KEPT_S, call = 30 * 86400, redis.call
  local scores, sort_keys, tallies, step = {}, {}, {}, context.ties == 'last' and -1 or 1
  for i = first, #texts, 3 do
    local id, score, stored = texts[i], tonumber(texts[i + 1]), texts[i + 2]
    if is_sum then
      score = round_decimals(score + tonumber(call('ZSCORE', copy, id) or 0))
      if stored ~= '' then stored = add_tally(call('HGET', actions_key(copy), id), stored) end
    end
    scores[#scores + 1], scores[#scores + 2] = string.format('%.17g', score), id
    if stored and stored ~= '' then
      tallies[#tallies + 1], tallies[#tallies + 2] = id, stored
    end
    if context.ties and not is_sum then
      sort_keys[#sort_keys + 1] = string.format('%.17g', pack_sort_key(score, sequence + step * (i - first) / 3, context.ties))
      sort_keys[#sort_keys + 1] = id
    end
  end
  call('ZADD', copy, unpack(scores))
  if #tallies > 0 then call('HSET', actions_key(copy), unpack(tallies)) end
  if #sort_keys > 0 then call('ZADD', index_key(copy, context.ties, '0'), unpack(sort_keys)) end
  for _, key in ipairs({ copy, actions_key(copy), context.ties and index_key(copy, context.ties, '0') }) do
    call('EXPIRE', key, KEPT_S)
  end
end

-- add_uncounted: gives members that have counts by action and no score, since what came for them is worth nothing together, a score of zero among
-- what was moved aside. So a scan meets them.
local function add_uncounted(remaining)
  local CHUNK, call, tallies = 1000, redis.call, actions_key(remaining)
  -- Both may have a mark.
  if call('HLEN', tallies) <= call('ZCOUNT', remaining, '(-inf', '+inf') then return end
  local members = call('HKEYS', tallies)
  for from = 1, #members, CHUNK do
    local added, scores = {}, call('ZMSCORE', remaining, unpack(members, from, math.min(from + CHUNK - 1, #members)))
    for i, score in ipairs(scores) do
      local member = members[from + i - 1]
      if not score and not is_mark(member) then
        added[#added + 1], added[#added + 2] = 0, member
      end
    end
    if #added > 0 then call('ZADD', remaining, unpack(added)) end
  end
end

-- drop_period: drops the sorted set of a period, with its counts by action and its indexes.
local function drop_period(board, key)
  local indexes = redis.call('HGET', state_key(board), 'indexes')
  local generation = indexes and string.match(indexes, '^%d+') or '0'
  local dropped = { key, actions_key(key), refused_key(key) }
  for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
    dropped[#dropped + 1] = index_key(key, index, generation)
  end
  redis.call('UNLINK', unpack(dropped))
end

-- forget_behind: forgets whom the archive of a period is behind with.
local function forget_behind(board, key, unit, number)
  redis.call('UNLINK', behind_key(key), taken_key(behind_key(key)))
  redis.call('HDEL', archive_key(board), string.format('behind:%s:%d', unit_of(unit), number))
end

-- forget_best: forgets the best of what was moved aside, those that scan answers first.
local function forget_best(remaining, ties, count)
  local CHUNK, call = 1000, redis.call
  local order = index_key(remaining, ties, '0')
  local is_packed = ties ~= '' and call('ZCOUNT', order, '(-inf', '+inf') == call('ZCOUNT', remaining, '(-inf', '+inf')
  while count > 0 do
    local best = call('ZREVRANGE', is_packed and order or remaining, 0, math.min(count, CHUNK) - 1)
    if #best == 0 then return end
    call('ZREM', remaining, unpack(best))
    if is_packed then call('ZREM', order, unpack(best)) end
    call('HDEL', actions_key(remaining), unpack(best))
    count = count - #best
  end
end

-- is_owned: whether a board's periods are another owner's: who begins takes them over from one that did nothing for half a minute. That one
-- may go on no more, though the other has ended.
local function is_owned(board, owner, now, begins)
  local BUSY_S = 30
  local last = redis.call('HMGET', archive_key(board), 'owner', 'at')
  local at = tonumber(last[2] or 0)
  if last[1] == owner then return false end
  return not begins or last[1] and at <= now and now < at + BUSY_S
end

-- live_order: the key of the order of ties of a period's board; nil where writers do not keep it.
local function live_order(board, key, ties)
  local indexes = redis.call('HGET', state_key(board), 'indexes')
  return (kept_index({ clock = { state = { indexes = indexes } } }, key, ties))
end

-- put_tallies: adds what was restored of the counts by action of some members, as ZPOPMAX answered them, to what Redis has of these.
local function put_tallies(key, copy, popped)
  local call = redis.call
  if #popped == 0 or call('EXISTS', copy) == 0 then return end
  local come = { '\0', '1' }
  for i = 1, #popped, 2 do
    local id = popped[i]
    local more = call('HGET', copy, id)
    local stored = more and add_tally(call('HGET', key, id), more)
    if stored then
      come[#come + 1], come[#come + 2] = id, stored
    elseif more then
      call('HDEL', key, id)
    end
  end
  call('HSET', key, unpack(come))
end

-- begin_archive: begins to archive a period: who changes it is noted from now on, and those before are forgotten. Answers and notes when that was
-- (microseconds).
local function begin_archive(board, key, unit, number, now_us)
  local call, state = redis.call, state_key(board)
  local begun = call('HGET', state, 'archived') or ''
  if last_archived(begun, unit) < number then
    local words = { string.format('%s:%d', unit, number) }
    for word in string.gmatch(begun, '%S+') do
      if string.sub(word, 1, 1) ~= unit then words[#words + 1] = word end
    end
    table.sort(words)
    -- Plans may count in it.
    set_state(board, 'archived', table.concat(words, ' '))
  end
  forget_behind(board, key, unit, number)
  call('HSET', archive_key(board), 'begun', string.format('%.0f', now_us))
  return now_us
end

-- finish_restored: what follows when a period is restored: it is kept for as long as others, its indexes of distinct scores are built anew,
-- readers see it, and its unit is counted since it began. Removals begin anew. Where a number is given, totals of that period are handed on.
local function finish_restored(context, key, unit, starts_at, kept_until, handed_on)
  local call, state = redis.call, state_key(context.board)
  local holders, distinct = index_key(key, 'holders', context.index_generation), index_key(key, 'distinct', context.index_generation)
  call('UNLINK', holders, distinct, indexes_scan_key(context.board), actions_key(restored_key(key)), removing_key(context.board))
  for _, kept in ipairs({ key, actions_key(key), context.ties and index_key(key, context.ties, context.index_generation) }) do
    if kept_until > 0 then
      call('EXPIREAT', kept, kept_until)
    else
      call('PERSIST', kept)
    end
  end
  if handed_on then mark_members(context, unit, handed_on) end
  local since = call('HGET', state, 'since')
  if since then
    local changed = string.gsub(' ' .. since, '( ' .. unit .. '=)(%d+)', function(name, at)
      if tonumber(at) > starts_at then return name .. string.format('%d', starts_at) end
    end)
    set_state(context.board, 'since', string.sub(changed, 2))
  end
  set_state(context.board, 'changed', context.clock.now_us, 'due', '')
end
