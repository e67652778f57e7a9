-- upkeep_windows: preparing and repairing rolling windows.
-- @use upkeep_boards, upkeep_indexes, upkeep_members, upkeep_scan, window_notes, windows, zones

-- sums_of: for each member the sum of its scores on the base boards from one period to another.
local function sums_of(context, members, first, last)
  local sums = {}
  for i = 1, #members do
    sums[i] = 0
  end
  for number = first, last do
    local scores = redis.call('ZMSCORE', period_key(context.board, context.unit, number), unpack(members))
    for i = 1, #members do
      if scores[i] then sums[i] = round_decimals(sums[i] + scores[i]) end
    end
  end
  return sums
end

-- add_scores: adds the scores of members on a base board, and on those that are scanned together with it, to those on a board that is
-- being summed up, and keeps the latest of their sequence numbers. A sum of zero stays until the scan ends, so that its
-- sequence number does.
local function add_scores(context, scan, target, members, scores)
  local call, format, sequences = redis.call, string.format, nil
  if context.ties then sequences = last_sequences(context, members, scan.stage, scan.ahead) end
  add_more(context, scan, members, scores)
  local olds, sums, set = call('ZMSCORE', target, unpack(members)), {}, {}
  for i = 1, #members do
    local sum = olds[i] and olds[i] + scores[i] or scores[i]
    if sum % 1 ~= 0 then sum = round_decimals(sum) end
    sums[i] = sum
    set[2 * i - 1], set[2 * i] = format(sum % 1 == 0 and sum > -2 ^ 53 and sum < 2 ^ 53 and '%d' or '%.17g', sum), members[i]
  end
  if context.ties then
    for i = 1, #members do
      olds[i] = olds[i] and tonumber(olds[i])
    end
    local known = sequences_on(context, target, members, olds)
    for i = 1, #members do
      sequences[i] = math.max(sequences[i], known[i])
    end
    put_sequences(context, target, members, sums, sequences)
  end
  call('ZADD', target, unpack(set))
end

-- sum_bases: a part of the scan that sums up the base boards of a window, one after the other, on `target`. Answers whether all are
-- summed up. A member that is written meanwhile may come out wrong, and is assigned its sum at the end: see assign_touched.
local function sum_bases(context, scan, target, last, touched)
  -- What asking Redis costs, in entries, and as how many members each call finds out how many are on all boards that are added at once. A
  -- member costs more by each of these, and much more where it is not on all of them; the order of ties costs twice more.
  local CALL, FIRST = 5, 20
  while context.remaining > 0 and scan.stage <= last do
    if scan.step == 'ahead' then
      if not look_ahead(context, scan, last, touched) then return false end
      scan.step = 'sums'
    end
    local boards = scan.ahead - scan.stage
    local function each() return context.ties and 3 + boards or 1 + boards * (0.07 + (context.missing or 0) * 0.3) end
    local most = (context.missing or context.ties or boards == 0) and 500 or FIRST
    local count = math.max(1, math.min(most, math.floor(context.remaining / each())))
    local members, scores, place = members_after(period_key(context.board, context.unit, scan.stage), scan.place, count)
    if #members > 0 then add_scores(context, scan, target, members, scores) end
    scan.scanned, context.remaining = scan.scanned + #members, context.remaining - #members * each() - CALL
    scan.place = place or ''
    if not place then
      scan.stage = scan.ahead + 1
      scan.step, scan.ahead = 'ahead', scan.stage
    end
  end
  return scan.stage > last
end

-- assign_touched: gives some of the members that were written during a repair their sums; answers whether nobody is left.
local function assign_touched(context, target, touched)
  local EACH = (context.length + 4) * (context.ties and 3 or 1)
  while context.remaining > 0 do
    local wanted = math.max(1, math.min(500, math.floor(context.remaining / EACH)))
    -- One more than wanted: the mark of the scan is among them.
    local members = redis.call('SRANDMEMBER', touched, wanted + 1)
    for i = #members, 1, -1 do
      if is_mark(members[i]) then table.remove(members, i) end
    end
    if #members == 0 then return true end
    local first = context.current - context.length + 1
    local sums = sums_of(context, members, first, context.current)
    assign_scores(context, target, members, sums, context.ties and last_sequences(context, members, first, context.current))
    redis.call('SREM', touched, unpack(members))
    context.remaining = context.remaining - #members * EACH - 5
  end
  return false
end

-- begin_repair: begins to sum up the base boards of a rolling window. From now on writers note whom they touch.
local function begin_repair(context, scan)
  local call = redis.call
  list_window(context)
  local touched, expiry =
    touched_key(context.board, context.window), rolling_expiry(context.clock.rows, context.unit, context.current, context.week_starts_on)
  set_state(context.board, 'window:' .. context.window, 'repair ' .. context.current)
  clear_board(context, context.key, expiry, false)
  call('UNLINK', touched)
  call('SADD', touched, '\0scan')
  call('EXPIREAT', touched, expiry)
  begin_scan(scan, 'repair', scan_of(context), 'bases', context.current - context.length + 1)
end

-- prepare_members: gives members their scores on the board of the next period: those of now, without those of the base period that
-- leaves, and with those of the next one, which are there where a clock was ahead. `is_ordered` says that the board of the next period keeps an
-- order of ties.
local function prepare_members(context, members, is_ordered)
  local first, next_base = context.current - context.length + 1, period_key(context.board, context.unit, context.current + 1)
  local leaving_base = period_key(context.board, context.unit, first)
  local now, leaving, coming = scores_of(context.key, members), scores_of(leaving_base, members), scores_of(next_base, members)
  local scores, sequences = {}, nil
  for i = 1, #members do
    scores[i] = next_score(now[i], leaving[i], coming[i])
  end
  if is_ordered then
    sequences = sequences_on(context, context.key, members, now)
    local remaining, came = sequences_on(context, leaving_base, members, leaving), sequences_on(context, next_base, members, coming)
    local asked, places = {}, {}
    for i = 1, #members do
      -- Members whose last event leaves, members that are on the board only without what leaves, and all members after a change of the options:
      -- then the base boards are the first that have an order.
      if scores[i] ~= 0 and (now[i] == 0 or sequences[i] == remaining[i]) then
        asked[#asked + 1], places[#places + 1] = members[i], i
      end
    end
    local last = #asked > 0 and last_sequences(context, asked, first + 1, context.current + 1)
    for n = 1, #asked do
      sequences[places[n]] = last[n]
    end
    for i = 1, #members do
      sequences[i] = math.max(sequences[i], came[i])
    end
  end
  assign_scores(context, context.next_key, members, scores, sequences)
end

-- prepare_window: a part of the scan that gives each member its score on the next period's board; answers whether that board is
-- whole. Every step assigns what is true, so that writers may do the same meanwhile.
--
-- Besides the current board it scans the base boards that leave and come: whose sum is zero today may have points tomorrow.
local function prepare_window(context, scan)
  local call, of, EACH = redis.call, scan_of(context), context.ties and 9 or 3
  local sources = {
    context.key,
    period_key(context.board, context.unit, context.current - context.length + 1),
    period_key(context.board, context.unit, context.current + 1),
  }
  if scan.task ~= 'prepare' or scan.of ~= of or not call('ZSCORE', context.next_key, '\0scan') then
    -- What is there may be of a clock that was ahead, and its base boards gone since; without an order of ties it was begun under other options.
    clear_board(
      context,
      context.next_key,
      rolling_expiry(context.clock.rows, context.unit, context.current + 1, context.week_starts_on),
      true
    )
    begin_scan(scan, 'prepare', of, 'members', 1)
    for s = 1, #sources do
      scan.total = scan.total + call('ZCOUNT', sources[s], '(-inf', '+inf')
    end
  end
  while context.remaining > 0 and scan.stage <= #sources do
    local members, _, place =
      members_after(sources[scan.stage], scan.place, math.max(1, math.min(500, math.floor(context.remaining / EACH))))
    if #members > 0 then prepare_members(context, members, context.ties) end
    scan.scanned, context.remaining = scan.scanned + #members, context.remaining - #members * EACH - 5
    scan.place = place or ''
    if not place then scan.stage = scan.stage + 1 end
  end
  local is_done = scan.stage > #sources
  if is_done then
    call('ZREM', context.next_key, '\0scan')
    call('ZADD', context.next_key, '-inf', whole_mark(context.clock.generation))
    if context.clock.state['lost:' .. context.unit] then note_lost(context, context.clock, context.unit, '') end
  end
  expire_filled(context, context.next_key, rolling_expiry(context.clock.rows, context.unit, context.current + 1, context.week_starts_on))
  return is_done
end

-- repair_window: a part of the repair of a rolling window's current board; answers whether the board is whole.
--
-- The base boards are marked, then summed up one after the other, then sums of zero are dropped, and then those who were written meanwhile are
-- assigned their sums. When nobody is left, the board is whole. What was prepared for the next period from a board that was not
-- whole is dropped. Its index of distinct scores is looked for once more.
local function repair_window(context, scan)
  local call, touched = redis.call, touched_key(context.board, context.window)
  if not is_repairing(context, scan) then begin_repair(context, scan) end
  -- The next period has begun already where a clock was ahead.
  if scan.step == 'bases' and adopt_bases(context, scan, context.current + 1) then
    scan.step, scan.stage = 'ahead', scan.ahead
  end
  if (scan.step == 'ahead' or scan.step == 'sums') and sum_bases(context, scan, context.key, context.current, touched) then
    scan.step = 'zeros'
  end
  if scan.step == 'zeros' and drop_zeros(context, context.key) then scan.step = 'touched' end
  local is_done = scan.step == 'touched' and assign_touched(context, context.key, touched)
  if is_done then
    call('UNLINK', touched)
    clear_board(
      context,
      context.next_key,
      rolling_expiry(context.clock.rows, context.unit, context.current + 1, context.week_starts_on),
      true
    )
    call('ZREM', context.key, '\0scan')
    call('ZADD', context.key, '-inf', whole_mark(context.clock.generation))
    if context.is_dense then call('UNLINK', indexes_scan_key(context.board)) end
    set_state(context.board, 'window:' .. context.window, 'whole ' .. context.current)
    show_built(context.board, context.clock)
  end
  expire_filled(context, context.key, rolling_expiry(context.clock.rows, context.unit, context.current, context.week_starts_on))
  return is_done
end

-- keep_window: does what a rolling window needs. First its current board is repaired where it is not whole. When the boundary comes
-- near, the board of the next period is prepared, so that nothing happens at the boundary. Answers the scan, the task that is
-- next, and after how many seconds.
local function keep_window(context)
  local call, clock = redis.call, context.clock
  context.current = period_number(context.unit, clock, context.week_starts_on)
  context.key, context.next_key =
    window_key(context.board, context.window, context.current), window_key(context.board, context.window, context.current + 1)
  local scan = read_scan(window_key(context.board, context.window, 'scan'), context.owner, clock.now_ms)
  local mark = whole_mark(clock.generation)
  local is_right =
    is_whole(context.board, clock, context.window, context.unit, context.length, context.current, call('ZSCORE', context.key, mark))
  -- What the last scan left keeps the order of ties that the scan knew.
  local is_ordered = not context.ties or scan.of == scan_of(context)
  local is_prepared = is_right and call('ZSCORE', context.next_key, mark) and (is_ordered or keeps_order(context, context.next_key))
  local function task_and_rest()
    if not is_right then return 'repair', 0 end
    local due_at = prepares_at(context, is_prepared and context.current + 1 or context.current)
    return is_prepared and 'ready' or 'prepare', math.max(0, math.ceil(due_at - clock.now))
  end
  local task, rest = task_and_rest()
  if scan.task ~= task then
    scan.scanned, scan.total = is_prepared and scan.scanned or 0, is_prepared and scan.total or 0
  end
  if scan.is_held or context.remaining == 0 or task == 'ready' or rest > 0 and not context.is_early then return scan, task, rest end
  if task == 'repair' then
    is_right = repair_window(context, scan)
  else
    is_prepared = prepare_window(context, scan)
  end
  keep_scan(context, scan, is_right and task == 'repair' or is_prepared)
  call('EXPIREAT', scan.key, rolling_expiry(context.clock.rows, context.unit, context.current + 1, context.week_starts_on))
  return scan, task_and_rest()
end
