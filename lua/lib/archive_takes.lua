-- archive_takes: what archiving takes of a period, and puts aside.
-- @use archive, erasure, upkeep_members

-- take_behind: moves aside whom the archive of a period is behind with, unless some are aside. Answers when they were (microseconds); 0 where nobody is.
local function take_behind(board, key, unit, number, now_us)
  local call, behind = redis.call, behind_key(key)
  local taken = taken_key(behind)
  local at = call('HGET', taken, '\0')
  if at then return tonumber(at) end
  if call('EXISTS', behind) == 0 then
    forget_behind(board, key, unit, number)
    return 0
  end
  call('RENAME', behind, taken)
  call('HSET', taken, '\0', string.format('%.0f', now_us))
  return now_us
end

-- leave_period: moves the sorted set of a period aside, unless one is there, with its order of ties and its counts by action. Its other
-- indexes go. What is aside stays for 30 days more. Answers and notes when it was moved (microseconds): what came since is not of it.
local function leave_period(board, key, ties, now_us)
  local KEPT_S, call = 30 * 86400, redis.call
  local remaining = copy_key(key, 'left')
  local remains = call('EXISTS', remaining) == 1
  if not remains and call('EXISTS', key) == 0 then return now_us end
  if not remains then
    local order = ties ~= '' and live_order(board, key, ties)
    local beside = { [actions_key(key)] = actions_key(remaining) }
    if order then beside[order] = index_key(remaining, ties, '0') end
    call('RENAME', key, remaining)
    for from, to in pairs(beside) do
      if call('EXISTS', from) == 1 then call('RENAME', from, to) end
    end
  end
  for _, copy in ipairs(copy_keys(remaining)) do
    call('EXPIRE', copy, KEPT_S)
  end
  if remains then return tonumber(call('HGET', archive_key(board), 'left') or now_us) end
  call('HSET', archive_key(board), 'left', string.format('%.0f', now_us))
  local indexes = call('HGET', state_key(board), 'indexes')
  local generation = indexes and string.match(indexes, '^%d+') or '0'
  local dropped = { refused_key(key) }
  for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
    dropped[#dropped + 1] = index_key(key, index, generation)
  end
  call('UNLINK', unpack(dropped))
  return now_us
end

-- drop_taken: forgets those whom the archive of a period was behind with, and has now. The archive is behind with members that changed since, from then on.
local function drop_taken(board, key, unit, number)
  local call, behind = redis.call, behind_key(key)
  local at = call('HGET', taken_key(behind), '\0')
  call('UNLINK', taken_key(behind))
  if call('EXISTS', behind) == 0 then
    forget_behind(board, key, unit, number)
  elseif at then
    local notes, name = archive_key(board), string.format('behind:%s:%d', unit_of(unit), number)
    local why = string.match(call('HGET', notes, name) or '', '^%d+ (%a+)')
    call('HSET', notes, name, string.format('%d %s', math.floor(at / 1000), why or 'counted'))
  end
end

-- put_closed: makes what was restored of a period that is over the period's own, in place of what an older Redis had of it. Answers whether that is
-- done: not where something came for the period that its archive does not have yet, and is first to be added to it.
local function put_closed(context, key, copy, sequence, note)
  local call = redis.call
  local is_older = call('HEXISTS', archive_key(context.board), note) == 1
    and call('EXISTS', behind_key(key), taken_key(behind_key(key))) == 0
  if is_older then
    drop_period(context.board, key)
  elseif call('EXISTS', key) == 1 then
    call('UNLINK', unpack(copy_keys(copy)))
    return false
  end
  -- Where the options changed since the first member was added it lacks some.
  local is_ordered = context.ties and call('ZCARD', index_key(copy, context.ties, '0')) == call('ZCARD', copy)
  if call('EXISTS', copy) == 1 then call('RENAME', copy, key) end
  if call('EXISTS', actions_key(copy)) == 1 then
    call('RENAME', actions_key(copy), actions_key(key))
    call('HSET', actions_key(key), '\0', '1')
  end
  if is_ordered and call('EXISTS', index_key(copy, context.ties, '0')) == 1 then
    local order = index_key(key, context.ties, context.index_generation)
    call('RENAME', index_key(copy, context.ties, '0'), order)
    call('ZADD', order, '-inf', '\0')
    local last = tonumber(call('HGET', state_key(context.board), 'sequence') or 0)
    if last < sequence then set_state(context.board, 'sequence', sequence) end
  end
  call('UNLINK', behind_key(key), taken_key(behind_key(key)))
  call('HDEL', archive_key(context.board), (string.gsub(note, '^whole', 'behind')))
  return true
end

-- count_below: how many members of a sorted set are below a place, "score member", whether or not it is still there.
local function count_below(key, place)
  local score, member = string.match(place, '^(%S+) (.*)$')
  local is_there = redis.call('ZSCORE', key, member) == score
  return rank_after(key, score, member) - (is_there and 1 or 0)
end

-- put_open: adds some of what was restored of a period to what Redis has of it, and marks it where totals are handed on. Answers how many entries
-- are left.
--
-- Among equal scores a member that was restored alone counts as the one who had it first.
local function put_open(context, key, copy, changed)
  local ENTRIES, call = 1000, redis.call
  local is_new, order = call('EXISTS', key) == 0, context.ties and index_key(key, context.ties, context.index_generation)
  if is_new and order then call('ZADD', order, '-inf', '\0') end
  if order and not call('ZSCORE', order, '\0') then order = nil end
  local popped, names = call('ZPOPMAX', copy, ENTRIES), {}
  put_tallies(actions_key(key), actions_key(copy), popped)
  for i = 1, #popped, 2 do
    local id = popped[i]
    names[#names + 1] = id
    local sum = round_decimals(tonumber(popped[i + 1]) + tonumber(call('ZSCORE', key, id) or 0))
    local kept = order and call('ZSCORE', order, id)
    if sum == 0 then
      call('ZREM', key, id)
      if order then call('ZREM', order, id) end
    else
      call('ZADD', key, string.format('%.17g', sum), id)
      local sequence = kept and unpack_sequence(tonumber(kept), unpack_score(tonumber(kept)), context.ties) or 1
      if order then call('ZADD', order, string.format('%.17g', pack_sort_key(sum, sequence, context.ties)), id) end
    end
  end
  context.changed = changed
  if #names > 0 then mark_dropped(context, key, names) end
  return call('ZCARD', copy)
end
