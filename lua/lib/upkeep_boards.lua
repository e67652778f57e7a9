-- upkeep_boards: upkeep of boards: expiry, marks, and who is over the bound.
-- @use decay, upkeep_scan, window_notes, windows, zones

-- drop_zeros: drops members whose sum came out as zero from a board that was summed up; answers whether none is left.
local function drop_zeros(context, target)
  while context.remaining > 0 do
    local zeros = redis.call('ZRANGEBYSCORE', target, 0, 0, 'LIMIT', 0, 500)
    if #zeros > 0 then
      redis.call('ZREM', target, unpack(zeros))
      if context.ties then redis.call('ZREM', index_key(target, context.ties, context.index_generation), unpack(zeros)) end
    end
    context.remaining = context.remaining - #zeros - 5
    if #zeros < 500 then return true end
  end
  return false
end

-- expire_filled: gives a board that upkeep fills, and its indexes, an expiry (seconds).
local function expire_filled(context, key, at)
  redis.call('EXPIREAT', key, at)
  if context.ties then redis.call('EXPIREAT', index_key(key, context.ties, context.index_generation), at) end
  if context.is_dense then
    redis.call('EXPIREAT', index_key(key, 'holders', context.index_generation), at)
    redis.call('EXPIREAT', index_key(key, 'distinct', context.index_generation), at)
  end
end

-- trim_window: drops members of a decaying window whose score has decayed below the floor, at most as many as there are entries
-- left; answers how many, and after how many seconds to come again.
local function trim_window(context)
  local clock, PAUSE = context.clock, 21600
  local position = context.kind == 'step' and period_number(context.unit, clock, context.week_starts_on) or clock.now_ms
  local life, span = life_and_span(context.kind, context.amount)
  local _, landmark, scale = decay(position, position, life, span)
  local key, limit = window_key(context.board, context.window, landmark), math.min(context.remaining, 1000)
  local bound = string.format('%.17g', context.floor / scale)
  local faded = redis.call('ZRANGEBYSCORE', key, '(-' .. bound, '(' .. bound, 'LIMIT', 0, limit)
  if #faded > 0 then
    redis.call('ZREM', key, unpack(faded))
    redis.call('HDEL', actions_key(key), unpack(faded))
    show_built(context.board, clock)
  end
  return #faded, #faded < limit and PAUSE or 0
end

-- list_window: lists a rolling window among what is counted, see note_since, before it is repaired. So whoever counts without it unmarks it, see
-- note_others: a window is whole only while everybody who counts knows it.
local function list_window(context)
  local counts, entry = context.clock.state.counts, string.format(' %s:%s:%d', context.window, context.unit, context.length)
  if not counts or string.find(counts .. ' ', entry .. ' ', 1, true) then return end
  set_state(context.board, 'counts', (string.gsub(counts, '^%S*', '%0' .. entry, 1)))
end

-- forget_lost: takes the periods of a unit from one to another out of those that have lost something, see note_lost.
local function forget_lost(board, unit, first, last)
  local call, state, field, remaining = redis.call, state_key(board), 'lost:' .. unit, {}
  for number in string.gmatch(call('HGET', state, field) or '', '%-?%d+') do
    if tonumber(number) < first or tonumber(number) > last then remaining[#remaining + 1] = number end
  end
  if #remaining == 0 then
    call('HDEL', state, field)
  else
    set_state(board, field, table.concat(remaining, ' '))
  end
end

-- note_missing: notes the base boards of periods from one to another that the state lists as made, and that are gone, as lost. What else was made of
-- them is made anew, so that it lacks the same: past rankings, and rolling windows other than the one that is being repaired, if any.
local function note_missing(context, first, last, repaired)
  local call, clock, state, dropped = redis.call, context.clock, context.clock.state, {}
  for number in string.gmatch(state['made:' .. context.unit] or '', '%-?%d+') do
    number = tonumber(number)
    if number >= first and number <= last and call('EXISTS', period_key(context.board, context.unit, number)) == 0 then
      dropped[#dropped + 1] = number
    end
  end
  if #dropped == 0 then return end
  table.sort(dropped)
  note_lost(context, clock, context.unit, table.concat(dropped, ' '))
  break_holding(context, context.unit, dropped[#dropped], repaired)
  local past = state.past
  for _, number in ipairs(dropped) do
    past = bump_past(past, context.unit, number) or past
  end
  if past ~= state.past then
    state.past = past
    set_state(context.board, 'past', past)
  end
  set_state(context.board, 'changed', clock.now_us)
end

-- count_bases: about how many entries the base boards from one period to another hold, for the progress of a scan. A board has one mark
-- of its own. Its size is known, while ZCOUNT would look for both of its ends.
local function count_bases(context, first, last)
  local entries = 0
  for number = first, last do
    entries = entries + math.max(0, redis.call('ZCARD', period_key(context.board, context.unit, number)) - 1)
  end
  return entries
end

-- adopt_bases: marks some of the base boards from where a repair is up to `last` that are there, remembers those of them that were not known
-- to be made, and counts what they hold, for the progress; who is gone is noted as lost. Answers whether all were looked at.
local function adopt_bases(context, scan, last)
  -- What a board costs, in entries: it is asked for its size, and given its mark.
  local EACH = 3
  local call, field, first = redis.call, 'made:' .. context.unit, scan.stage
  local behind, numbers = math.min(last + 1, first + math.max(1, math.floor(context.remaining / EACH))), {}
  note_missing(context, first, behind - 1, context.window)
  for number in string.gmatch(context.clock.state[field] or '', '%d+') do
    if tonumber(number) < first or tonumber(number) >= behind then numbers[#numbers + 1] = number end
  end
  for number = first, behind - 1 do
    local key = period_key(context.board, context.unit, number)
    local size = call('ZCARD', key)
    if size > 0 then
      -- One entry is the mark.
      local entries = size + call('ZADD', key, '-inf', '\0') - 1
      if number <= context.current then scan.total = scan.total + entries end
      numbers[#numbers + 1] = string.format('%d', number)
    end
  end
  set_state(context.board, field, #numbers == 0 and '' or ' ' .. table.concat(numbers, ' ') .. ' ')
  scan.stage, context.remaining = behind, context.remaining - (behind - first) * EACH
  return behind > last
end

-- clear_board: empties a board that upkeep fills, with its indexes, and marks it as being filled until `expiry` (seconds).
-- `begins_index` says that the index of distinct scores is kept from here on.
local function clear_board(context, key, expiry, begins_index)
  local call = redis.call
  local holders, distinct = index_key(key, 'holders', context.index_generation), index_key(key, 'distinct', context.index_generation)
  call(
    'UNLINK',
    key,
    index_key(key, 'first', context.index_generation),
    index_key(key, 'last', context.index_generation),
    holders,
    distinct
  )
  call('ZADD', key, '-inf', '\0', '-inf', '\0scan')
  if context.ties then call('ZADD', index_key(key, context.ties, context.index_generation), '-inf', '\0') end
  if begins_index and context.is_dense then
    call('HSET', holders, '\0', '-inf')
    call('ZADD', distinct, '-inf', '\0')
  end
  expire_filled(context, key, expiry)
end

-- is_repairing: whether a repair that began goes on: it is of this period, and of these
-- generations of marks and indexes, and what it keeps has not gone. Base boards that go
-- meanwhile are noticed once it has ended, since the board is not whole then.
local function is_repairing(context, scan)
  local call = redis.call
  return scan.task == 'repair'
    and scan.of == scan_of(context)
    and context.clock.state['window:' .. context.window] == 'repair ' .. context.current
    and call('ZSCORE', context.key, '\0scan')
    and call('SISMEMBER', touched_key(context.board, context.window), '\0scan') == 1
end

-- look_ahead: finds how many of the base boards after the one that is to be scanned have hardly a member that it lacks. Their scores
-- are then added together with its own, and they are not scanned. The few that it lacks are noted in `touched`; without that
-- there must be none. Answers whether it is found: large boards take more than one chunk.
--
-- A member that is not written stays on its boards, so what was true of it when they were compared remains so.
local function look_ahead(context, scan, last, touched)
  -- Boards to add at once, and entries that one command may compare: about a millisecond.
  local MAX, MAX_SIZE = 32, 10000
  local call, base = redis.call, period_key(context.board, context.unit, scan.stage)
  local size = call('ZCOUNT', base, '(-inf', '+inf')
  while scan.ahead < math.min(last, scan.stage + MAX - 1) do
    local other = period_key(context.board, context.unit, scan.ahead + 1)
    local other_size = call('ZCOUNT', other, '(-inf', '+inf')
    if other_size > MAX_SIZE or size > MAX_SIZE or other_size < size / 2 then return true end
    if context.remaining <= 0 then return false end
    context.remaining = context.remaining - other_size / 8 - 5
    local few = touched and 2 * other_size / context.length or 0
    -- The marks of both are alike, but for what others left there.
    local alone = call('ZCARD', other) - call('ZINTERCARD', 2, other, base)
    if alone > few + 1 then return true end
    local lacking = alone > 0 and call('ZDIFF', 2, other, base) or {}
    for i = #lacking, 1, -1 do
      if is_mark(lacking[i]) then table.remove(lacking, i) end
    end
    if #lacking > few then return true end
    if #lacking > 0 then call('SADD', touched, unpack(lacking)) end
    scan.ahead = scan.ahead + 1
  end
  return true
end

-- prepares_at: when the board of the period after `number` is to be prepared (seconds): a tenth of the period before it begins, but
-- at least ten minutes and at most three hours, and not before the period itself begins. Before that it would only be kept up to date
-- for longer.
local function prepares_at(context, number)
  local starts_at, ends_at = period_bounds(context.clock.rows, context.unit, number, context.week_starts_on)
  return math.max(starts_at, ends_at - math.max(600, math.min(10800, (ends_at - starts_at) / 10)))
end
