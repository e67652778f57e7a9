-- upkeep_indexes: upkeep of orders of ties and distinct scores.
-- @use upkeep_members, upkeep_scan, zones

-- change_holders: brings the index of distinct scores of a board up to date after members' scores went from `olds` to `news`. While
-- upkeep builds that index, it holds the scores from some score up, see build_holders.
local function change_holders(context, key, olds, news)
  local call, changes = redis.call, {}
  for i = 1, #news do
    changes[olds[i]] = (changes[olds[i]] or 0) - 1
    changes[news[i]] = (changes[news[i]] or 0) + 1
  end
  changes[0] = nil
  local holders_key, distinct_key =
    index_key(key, 'holders', context.index_generation), index_key(key, 'distinct', context.index_generation)
  local texts, scores = { '\0' }, { false }
  for score, change in pairs(changes) do
    if change ~= 0 then
      texts[#texts + 1], scores[#scores + 1] = string.format('%.17g', score), score
    end
  end
  if #texts == 1 then return end
  local counts, set, dropped, come = call('HMGET', holders_key, unpack(texts)), {}, {}, {}
  local from = counts[1] and (counts[1] == '-inf' and -math.huge or tonumber(counts[1]))
  for i = 2, from and #texts or 0 do
    local holders = tonumber(counts[i] or 0) + changes[scores[i]]
    if scores[i] >= from and holders > 0 then
      set[#set + 1], set[#set + 2] = texts[i], holders
      if not counts[i] then
        come[#come + 1], come[#come + 2] = texts[i], texts[i]
      end
    elseif scores[i] >= from then
      dropped[#dropped + 1] = texts[i]
    end
  end
  if #set > 0 then call('HSET', holders_key, unpack(set)) end
  if #come > 0 then call('ZADD', distinct_key, unpack(come)) end
  if #dropped > 0 then
    call('HDEL', holders_key, unpack(dropped))
    call('ZREM', distinct_key, unpack(dropped))
  end
end

-- holders_below: how many members of a board have each of the next scores below one (text), with at most 500 members read. Answers
-- these as fields of a hash, the scores as members of a sorted set, the lowest of them, "-inf" when no lower one is left, and
-- how many members were read.
local function holders_below(key, from)
  local both = redis.call('ZREVRANGEBYSCORE', key, '(' .. from, '(-inf', 'WITHSCORES', 'LIMIT', 0, 500)
  local counted, distinct, holders = {}, {}, 0
  for i = 2, #both, 2 do
    holders = holders + 1
    if both[i] ~= both[i + 2] then
      -- More may have the last of these scores.
      if not both[i + 2] then holders = redis.call('ZCOUNT', key, both[i], both[i]) end
      local text = string.format('%.17g', tonumber(both[i]))
      counted[#counted + 1], counted[#counted + 2] = text, holders
      distinct[#distinct + 1], distinct[#distinct + 2] = text, text
      holders = 0
    end
  end
  return counted, distinct, #both == 1000 and both[1000] or '-inf', #both / 2
end

-- indexed_boards: the keys of the boards that may have an index of distinct scores: those of calendar periods, and the current and
-- next ones of rolling windows.
local function indexed_boards(context)
  local keys, clock = {}, context.clock
  local function current_of(unit) return period_number(unit, clock, context.week_starts_on) end
  for i = 1, #context.units do
    local unit = string.sub(context.units, i, i)
    local kept = tonumber(string.sub(context.retention, i * 10 - 9, i * 10))
    if unit == 's' then
      for _, number in ipairs(season_numbers(clock.zone, math.huge)) do
        keys[#keys + 1] = period_key(context.board, unit, number)
      end
    else
      for number = current_of(unit), current_of(unit) - periods_back(unit, kept, current_of('y')), -1 do
        keys[#keys + 1] = period_key(context.board, unit, number)
      end
    end
  end
  for window, unit in string.gmatch(context.rolling, '([^:%s]+):(%a):%d+') do
    keys[#keys + 1] = window_key(context.board, window, current_of(unit))
    keys[#keys + 1] = window_key(context.board, window, current_of(unit) + 1)
  end
  return keys
end

-- build_holders: builds a part of the index of distinct scores of a board, from the highest score down; answers whether the index
-- is whole.
--
-- The field "\0" of the holders is the score down to which they are counted. A writer keeps the scores from there up and leaves the
-- others to upkeep, so the index is exact at any moment, however many write. When it is whole, that field is "-inf", and the
-- distinct scores carry the mark "\0"; until then they carry "\0scan", which goes if the key does.
local function build_holders(context, key)
  local call = redis.call
  local holders_key, distinct_key =
    index_key(key, 'holders', context.index_generation), index_key(key, 'distinct', context.index_generation)
  local from, marked = call('HGET', holders_key, '\0'), call('ZMSCORE', distinct_key, '\0', '\0scan')
  context.remaining = context.remaining - 5
  if from == '-inf' and marked[1] then return true end
  if not from or from == '-inf' or not marked[2] then
    call('UNLINK', holders_key, distinct_key)
    call('ZADD', distinct_key, '-inf', '\0scan')
    from = 'inf'
  end
  while context.remaining > 0 and from ~= '-inf' do
    local counted, distinct, last, read = holders_below(key, from)
    from = last
    if #distinct > 0 then call('ZADD', distinct_key, unpack(distinct)) end
    call('HSET', holders_key, '\0', from, unpack(counted))
    context.remaining = context.remaining - read - #distinct - 5
  end
  if from == '-inf' then
    call('ZREM', distinct_key, '\0scan')
    call('ZADD', distinct_key, '-inf', '\0')
    show_built(context.board, context.clock)
  end
  local remaining = call('TTL', key)
  for _, index in ipairs(remaining > 0 and { holders_key, distinct_key } or {}) do
    call('EXPIRE', index, remaining)
  end
  return from == '-inf'
end

-- assign_scores: gives members of a board the scores of a list, and removes those whose score is zero. The indexes follow; `sequences` are the
-- members' sequence numbers where the board keeps an order of ties.
local function assign_scores(context, key, members, scores, sequences)
  local call, set, dropped, there, their_scores, their_sequences = redis.call, {}, {}, {}, {}, {}
  for i = 1, #members do
    if scores[i] == 0 then
      dropped[#dropped + 1] = members[i]
    else
      set[#set + 1], set[#set + 2] = string.format('%.17g', scores[i]), members[i]
      there[#there + 1], their_scores[#their_scores + 1] = members[i], scores[i]
      their_sequences[#their_sequences + 1] = sequences and sequences[i]
    end
  end
  if context.is_dense then change_holders(context, key, scores_of(key, members), scores) end
  if #dropped > 0 then call('ZREM', key, unpack(dropped)) end
  if #set > 0 then call('ZADD', key, unpack(set)) end
  if sequences then
    if #dropped > 0 then call('ZREM', index_key(key, context.ties, context.index_generation), unpack(dropped)) end
    put_sequences(context, key, there, their_scores, their_sequences)
  end
end

-- keep_indexes: builds a part of the indexes of distinct scores that boards lack: where the option is new, or a key has gone. Once
-- a day, and after a repair, it looks at every board. Answers the scan, the task that is next, and after how many seconds to come again.
local function keep_indexes(context)
  local PAUSE, clock = 21600, context.clock
  local scan = read_scan(indexes_scan_key(context.board), context.owner, clock.now_ms)
  local of = string.format('%s:%d', context.index_generation, clock.day)
  if not context.is_dense or scan.of == of and scan.task == 'none' then return scan, 'ready', PAUSE end
  if scan.is_held or context.remaining == 0 then return scan, 'indexes', 0 end
  if scan.task ~= 'indexes' or scan.of ~= of then begin_scan(scan, 'indexes', of, 'holders', 1) end
  local keys = indexed_boards(context)
  scan.total = #keys
  while context.remaining > 0 and scan.stage <= #keys do
    local is_there = redis.call('EXISTS', keys[scan.stage]) == 1
    if not is_there or build_holders(context, keys[scan.stage]) then scan.stage = scan.stage + 1 end
    context.remaining = context.remaining - 2
  end
  scan.scanned = math.min(scan.stage, #keys)
  local is_done = scan.stage > #keys
  keep_scan(context, scan, is_done)
  redis.call('EXPIRE', scan.key, 172800)
  return scan, is_done and 'ready' or 'indexes', is_done and PAUSE or 0
end
