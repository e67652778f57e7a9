-- plain: counting a plain batch key by key.
-- @use behind, decay, ids, indexes, limits, tallies, values, windows

-- plan_scores: plans the commands that give members of a sorted set their scores, which stand behind that of the mark. A board keeps no zeros.
local function plan_scores(commands, key, names, scores)
  local come, dropped, at, texts = { 'ZADD', key }, { 'ZREM', key }, 2, TEXTS.of
  for i = 1, #names do
    local score = scores[i + 1]
    if score == 0 then
      dropped[#dropped + 1] = names[i]
    else
      come[at + 1], come[at + 2], at = texts[score] or number_arg(score), names[i], at + 2
    end
  end
  -- A key that is emptied first would lose its expiry.
  if at > 2 then commands[#commands + 1] = come end
  if dropped[3] then commands[#commands + 1] = dropped end
end

-- plan_tallies: plans what counts the action of a plain batch for its members on the board of a key. false where nothing was counted
-- there before, and where new members have no room.
local function plan_tallies(c, commands, key, sums)
  local names, come, has_new, action = sums.names, { 'HSET', actions_key(key) }, 0, sums.action
  local stored = redis.call('HMGET', come[2], '\0', unpack(names))
  if not stored[1] then return false end
  for i = 1, #names do
    if not stored[i + 1] then has_new = has_new + 1 end
    come[2 * i + 1], come[2 * i + 2] = names[i], tally(stored[i + 1], action, sums.times[i], sums.deltas[i], true)
  end
  if has_new > 0 and c.indexes['activity-log'] and redis.call('HLEN', come[2]) - 1 + has_new > most_members(c, 'd') then return false end
  commands[#commands + 1] = come
  return true
end

-- sum_members: what a plain batch adds to its members, as lists by the order in which they come up: their names, deltas, how many
-- events, the sequence numbers of their last ones where ties are kept, for each decaying window what it adds there, and where
-- senders are bounded their first events. nil where the batch is not plain.
local function sum_members(c)
  local batch, same_from, windows, faded = c.batch, c.same_from, c.decaying == '' and {} or decaying_windows(c), {}
  for w = 1, #windows do
    if not windows[w].is_steady then return nil end
    faded[w] = {}
  end
  local names, deltas, times, sequences, slots, action = {}, {}, {}, c.indexes.ties and {}, {}, nil
  local firsts = c.newcomers ~= '' and {}
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then
      local member, delta, at = batch.members[e], batch.deltas[e], batch.instants[e]
      if at < same_from or action and action ~= batch.actions[e] then return nil end
      action = batch.actions[e]
      local i = slots[member]
      if i then
        deltas[i], times[i] = deltas[i] + delta, times[i] + (batch.times[e] or 1)
      else
        i = #names + 1
        slots[member], names[i], deltas[i], times[i] = i, batch.names[member], delta, batch.times[e] or 1
      end
      if firsts and not firsts[i] then firsts[i] = e end
      if sequences then sequences[i] = c.first_sequence + e end
      for w = 1, #windows do
        local window, sums = windows[w], faded[w]
        if at <= window.oldest then return nil end
        sums[i] = (sums[i] or 0) + delta * 2 ^ ((at - window.starts_at) / window.amount)
      end
    end
  end
  local sums = { names = names, deltas = deltas, times = times, sequences = sequences, faded = faded, action = action, firsts = firsts }
  -- The last score of each member that plan_ties met, and the member's place there.
  sums.placed, sums.places = {}, {}
  return sums
end

-- plan_board: reads the scores of members on a board, and plans what adds `deltas` to them. Answers the new scores; nil where the board
-- lacks its mark, or has no room for new members. They stand where the old ones did, behind that of the mark. `of` says which bound it has, see
-- most_members. With `firsts`, the first event of each member, their senders must be able to put new ones there.
local function plan_board(c, commands, key, of, names, deltas, firsts)
  local is_decaying, scores = string.byte(of) == 58, redis.call('ZMSCORE', key, '\0', unpack(names))
  local has_new = 0
  if not scores[1] then return nil end
  for i = 1, #names do
    local old = scores[i + 1]
    if not old then has_new = has_new + 1 end
    if not old and firsts and not may_join(c, firsts[i]) then return nil end
    local score = (old or 0) + deltas[i]
    scores[i + 1] = (score % 1 == 0 or is_decaying) and score or round_decimals(score)
  end
  if has_new > 0 and redis.call('ZCOUNT', key, '(-inf', '+inf') + has_new > most_members(c, of) then return nil end
  plan_scores(commands, key, names, scores)
  return scores
end

-- plan_ties: plans what gives members of a board their places in its order of ties, by the sequence numbers of their last events. false
-- where it has none, and where a sum is zero: then an earlier event may be the last one.
local function plan_ties(c, commands, key, sums, scores)
  local ties, names, placed, places = c.indexes.ties, sums.names, sums.placed, sums.places
  local come = { 'ZADD', index_key(key, ties, c.index_generation) }
  if not redis.call('ZSCORE', come[2], '\0') then return false end
  for i = 1, #names do
    local score = scores[i + 1]
    if score == 0 then return false end
    -- Several boards have the same score, and a place costs much to write.
    if score ~= placed[i] then
      placed[i], places[i] = score, number_arg(pack_sort_key(score, sums.sequences[i], ties))
    end
    come[2 * i + 1], come[2 * i + 2] = places[i], names[i]
  end
  commands[#commands + 1] = come
  return true
end

-- plan_period: plans what adds sums to the board of a period, and to what is kept beside it. Answers whether all of it is there.
local function plan_period(c, commands, unit, sums)
  local number = period_number(unit, c, c.week_starts_on)
  local key, indexes = period_key(c.board, unit, number), c.indexes
  -- See is_archived. A clock that went back since may have had it archived.
  if number <= last_archived(c.begun, unit) then return false end
  if not indexes['activity-log'] then
    local firsts = unit == string.sub(c.units, -1) and sums.firsts
    if indexes.policy then return plan_values(c, commands, key, unit, sums, firsts) end
    local scores = plan_board(c, commands, key, unit, sums.names, sums.deltas, firsts)
    if not scores or indexes.ties and not plan_ties(c, commands, key, sums, scores) then return false end
  end
  return not indexes.actions or plan_tallies(c, commands, key, sums)
end

-- plan_rolling: plans what brings a rolling window's board of now and its next one up to date with sums. false where one of them, or the
-- base board that leaves, is not as it should be.
local function plan_rolling(c, commands, window, sums)
  local call, unit, names, deltas = redis.call, window.unit, sums.names, sums.deltas
  local current, leaving = period_number(unit, c, c.week_starts_on), nil
  local key, next_key = window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1)
  local last = current - window.length + 1
  -- Only a clock that was ahead has counted in the period to come.
  if string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then return false end
  local scores = call('ZMSCORE', key, whole_mark(c.generation), unpack(names))
  if string.find(window.made, ' ' .. last .. ' ', 1, true) then
    leaving = call('ZMSCORE', period_key(c.board, unit, last), '\0', unpack(names))
    scores[1] = scores[1] and leaving[1]
  end
  if not (scores[1] and call('ZSCORE', next_key, '\0')) then return false end
  local after = leaving or { false }
  for i = 1, #names do
    local sum = (scores[i + 1] or 0) + deltas[i]
    if sum % 1 ~= 0 then sum = round_decimals(sum) end
    scores[i + 1], after[i + 1] = sum, next_score(sum, leaving and leaving[i + 1])
  end
  plan_scores(commands, key, names, scores)
  plan_scores(commands, next_key, names, after)
  if not c.indexes.ties then return true end
  return plan_ties(c, commands, key, sums, scores) and plan_ties(c, commands, next_key, sums, after)
end

-- plan_plain: counts a plain batch: all its events are of now, of one action, and add to their members, none is there twice, and everything that
-- they count on is there. Reads each key once, and answers the commands that write it; nil where the batch or a key is not so: nothing was changed.
local function plan_plain(c)
  local indexes, commands = c.indexes, {}
  if not (c.batch.adds and c.is_usual) or indexes.dense or c.new_indexes or c.is_between then return nil end
  if c.newcomers ~= '' and c.units == '' or c.batch.repeats then return nil end
  if indexes.actions and c.decaying ~= '' then return nil end
  for _, window in ipairs(c.windows) do
    if window.stored ~= 'broken' and string.sub(window.stored, 1, 6) ~= 'whole ' then return nil end
  end
  local sums = (indexes.policy and best_values or sum_members)(c)
  if not sums then return nil end
  if not sums.names[1] then return commands end
  if not indexes['activity-log'] then commands[1] = { 'HSET', state_key(c.board), 'changed', c.now_us } end
  if sums.sequences then
    commands[1][5], commands[1][6] = 'sequence', string.format('%d', c.first_sequence + c.batch.count)
  end
  for unit in string.gmatch(c.changed, '.') do
    commands[#commands + 1] = mark_changed(c.board, unit, period_number(unit, c, c.week_starts_on), sums.names)
  end
  for i = #c.units, 1, -1 do
    if not plan_period(c, commands, string.sub(c.units, i, i), sums) then return nil end
  end
  for _, window in ipairs(c.windows) do
    if window.stored ~= 'broken' and not plan_rolling(c, commands, window, sums) then return nil end
  end
  for w, window in ipairs(c.decaying_windows or {}) do
    local key = window_key(c.board, window.name, window.number)
    if not plan_board(c, commands, key, ':' .. window.name, sums.names, sums.faded[w]) then return nil end
  end
  for _, text in ipairs(begun_hour(c)) do
    commands[1][#commands[1] + 1] = text
  end
  return commands
end

-- store_plain: writes what plan_plain planned. c.is_begun says that something is counted.
local function store_plain(c, remembered, commands)
  if #remembered > 0 then remember_ids(c, remembered) end
  if c.newcomer_counts then store_newcomers(c) end
  for i = 1, #commands do
    redis.call(unpack(commands[i]))
    c.is_begun = commands[i][1] ~= 'SADD' and commands[i][2] ~= state_key(c.board)
  end
  if c.indexes.entries then store_entries(c) end
end
