-- upkeep_windows: preparing and repairing rolling windows.
-- @use board_writes, upkeep_boards, upkeep_indexes, upkeep_members, upkeep_scan, windows, zones

-- sums_of: for each member the sum of its scores on the base boards from one period to another.
local function sums_of(c, members, first, last)
  local sums = {}
  for i = 1, #members do
    sums[i] = 0
  end
  for number = first, last do
    local scores = redis.call('ZMSCORE', period_key(c.board, c.unit, number), unpack(members))
    for i = 1, #members do
      if scores[i] then sums[i] = round_decimals(sums[i] + scores[i]) end
    end
  end
  return sums
end

-- add_scores: adds the scores of members on a base board, and on those that are scanned together with it, to those on a board that is
-- being summed up, and keeps the latest of their sequence numbers. A sum of zero stays until the scan ends, so that its
-- sequence number does.
local function add_scores(c, scan, target, members, scores)
  local call, format, sequences = redis.call, string.format, nil
  if c.ties then sequences = last_sequences(c, members, scan.stage, scan.ahead) end
  add_more(c, scan, members, scores)
  local olds, sums, set = call('ZMSCORE', target, unpack(members)), {}, {}
  for i = 1, #members do
    local sum = olds[i] and olds[i] + scores[i] or scores[i]
    if sum % 1 ~= 0 then sum = round_decimals(sum) end
    sums[i] = sum
    set[2 * i - 1], set[2 * i] = format(sum % 1 == 0 and sum > -2 ^ 53 and sum < 2 ^ 53 and '%d' or '%.17g', sum), members[i]
  end
  if c.ties then
    for i = 1, #members do
      olds[i] = olds[i] and tonumber(olds[i])
    end
    local known = sequences_on(c, target, members, olds)
    for i = 1, #members do
      sequences[i] = math.max(sequences[i], known[i])
    end
    put_sequences(c, target, members, sums, sequences)
  end
  call('ZADD', target, unpack(set))
end

-- sum_bases: a part of the scan that sums up the base boards of a window, one after the other, on `target`. Answers whether all are
-- summed up. A member that is written meanwhile may come out wrong, and is assigned its sum at the end: see assign_touched.
local function sum_bases(c, scan, target, last, touched)
  -- What asking Redis costs, in entries, and as how many members each call finds out how many are on all boards that are added at once. A
  -- member costs more by each of these, and much more where it is not on all of them; the order of ties costs twice more.
  local CALL, FIRST = 5, 20
  while c.remaining > 0 and scan.stage <= last do
    if scan.step == 'ahead' then
      if not look_ahead(c, scan, last, touched) then return false end
      scan.step = 'sums'
    end
    local boards = scan.ahead - scan.stage
    local function each() return c.ties and 3 + boards or 1 + boards * (0.07 + (c.missing or 0) * 0.3) end
    local most = (c.missing or c.ties or boards == 0) and 500 or FIRST
    local count = math.max(1, math.min(most, math.floor(c.remaining / each())))
    local members, scores, place = members_after(period_key(c.board, c.unit, scan.stage), scan.place, count)
    if #members > 0 then add_scores(c, scan, target, members, scores) end
    scan.scanned, c.remaining = scan.scanned + #members, c.remaining - #members * each() - CALL
    scan.place = place or ''
    if not place then
      scan.stage = scan.ahead + 1
      scan.step, scan.ahead = 'ahead', scan.stage
    end
  end
  return scan.stage > last
end

-- assign_touched: gives some of the members that were written during a repair their sums; answers whether nobody is left.
local function assign_touched(c, target, touched)
  local EACH = (c.length + 4) * (c.ties and 3 or 1)
  while c.remaining > 0 do
    local wanted = math.max(1, math.min(500, math.floor(c.remaining / EACH)))
    -- One more than wanted: the mark of the scan is among them.
    local members = redis.call('SRANDMEMBER', touched, wanted + 1)
    for i = #members, 1, -1 do
      if is_mark(members[i]) then table.remove(members, i) end
    end
    if #members == 0 then return true end
    local first = c.current - c.length + 1
    local sums = sums_of(c, members, first, c.current)
    assign_scores(c, target, members, sums, c.ties and last_sequences(c, members, first, c.current))
    redis.call('SREM', touched, unpack(members))
    c.remaining = c.remaining - #members * EACH - 5
  end
  return false
end

-- begin_repair: begins to sum up the base boards of a rolling window. From now on writers note whom they touch.
local function begin_repair(c, scan)
  local call = redis.call
  list_window(c)
  local touched, expiry = touched_key(c.board, c.window), rolling_expiry(c.clock.rows, c.unit, c.current, c.week_starts_on)
  set_state(c.board, 'window:' .. c.window, 'repair ' .. c.current)
  clear_board(c, c.key, expiry, false)
  call('UNLINK', touched)
  call('SADD', touched, '\0scan')
  call('EXPIREAT', touched, expiry)
  begin_scan(scan, 'repair', scan_of(c), 'bases', c.current - c.length + 1)
end

-- prepare_members: gives members their scores on the board of the next period: those of now, without those of the base period that
-- leaves, and with those of the next one, which are there where a clock was ahead. `is_ordered` says that the board of the next period keeps an
-- order of ties.
local function prepare_members(c, members, is_ordered)
  local first, next_base = c.current - c.length + 1, period_key(c.board, c.unit, c.current + 1)
  local leaving_base = period_key(c.board, c.unit, first)
  local now, leaving, coming = scores_of(c.key, members), scores_of(leaving_base, members), scores_of(next_base, members)
  local scores, sequences = {}, nil
  for i = 1, #members do
    scores[i] = next_score(now[i], leaving[i], coming[i])
  end
  if is_ordered then
    sequences = sequences_on(c, c.key, members, now)
    local remaining, came = sequences_on(c, leaving_base, members, leaving), sequences_on(c, next_base, members, coming)
    local asked, places = {}, {}
    for i = 1, #members do
      -- Members whose last event leaves, members that are on the board only without what leaves, and all members after a change of the options:
      -- then the base boards are the first that have an order.
      if scores[i] ~= 0 and (now[i] == 0 or sequences[i] == remaining[i]) then
        asked[#asked + 1], places[#places + 1] = members[i], i
      end
    end
    local last = #asked > 0 and last_sequences(c, asked, first + 1, c.current + 1)
    for n = 1, #asked do
      sequences[places[n]] = last[n]
    end
    for i = 1, #members do
      sequences[i] = math.max(sequences[i], came[i])
    end
  end
  assign_scores(c, c.next_key, members, scores, sequences)
end

-- prepare_window: a part of the scan that gives each member its score on the next period's board; answers whether that board is
-- whole. Every step assigns what is true, so that writers may do the same meanwhile.
--
-- Besides the current board it scans the base boards that leave and come: whose sum is zero today may have points tomorrow.
local function prepare_window(c, scan)
  local call, of, EACH = redis.call, scan_of(c), c.ties and 9 or 3
  local sources = {
    c.key,
    period_key(c.board, c.unit, c.current - c.length + 1),
    period_key(c.board, c.unit, c.current + 1),
  }
  if scan.task ~= 'prepare' or scan.of ~= of or not call('ZSCORE', c.next_key, '\0scan') then
    -- What is there may be of a clock that was ahead, and its base boards gone since; without an order of ties it was begun under other options.
    clear_board(c, c.next_key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on), true)
    begin_scan(scan, 'prepare', of, 'members', 1)
    for s = 1, #sources do
      scan.total = scan.total + call('ZCOUNT', sources[s], '(-inf', '+inf')
    end
  end
  while c.remaining > 0 and scan.stage <= #sources do
    local members, _, place = members_after(sources[scan.stage], scan.place, math.max(1, math.min(500, math.floor(c.remaining / EACH))))
    if #members > 0 then prepare_members(c, members, c.ties) end
    scan.scanned, c.remaining = scan.scanned + #members, c.remaining - #members * EACH - 5
    scan.place = place or ''
    if not place then scan.stage = scan.stage + 1 end
  end
  local is_done = scan.stage > #sources
  if is_done then
    call('ZREM', c.next_key, '\0scan')
    call('ZADD', c.next_key, '-inf', whole_mark(c.clock.generation))
    if c.clock.state['lost:' .. c.unit] then note_lost(c, c.clock, c.unit, '') end
  end
  expire_filled(c, c.next_key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on))
  return is_done
end

-- repair_window: a part of the repair of a rolling window's current board; answers whether the board is whole.
--
-- The base boards are marked, then summed up one after the other, then sums of zero are dropped, and then those who were written meanwhile are
-- assigned their sums. When nobody is left, the board is whole. What was prepared for the next period from a board that was not
-- whole is dropped. Its index of distinct scores is looked for once more.
local function repair_window(c, scan)
  local call, touched = redis.call, touched_key(c.board, c.window)
  if not is_repairing(c, scan) then begin_repair(c, scan) end
  -- The next period has begun already where a clock was ahead.
  if scan.step == 'bases' and adopt_bases(c, scan, c.current + 1) then
    scan.step, scan.stage = 'ahead', scan.ahead
  end
  if (scan.step == 'ahead' or scan.step == 'sums') and sum_bases(c, scan, c.key, c.current, touched) then scan.step = 'zeros' end
  if scan.step == 'zeros' and drop_zeros(c, c.key) then scan.step = 'touched' end
  local is_done = scan.step == 'touched' and assign_touched(c, c.key, touched)
  if is_done then
    call('UNLINK', touched)
    clear_board(c, c.next_key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on), true)
    call('ZREM', c.key, '\0scan')
    call('ZADD', c.key, '-inf', whole_mark(c.clock.generation))
    if c.is_dense then call('UNLINK', indexes_scan_key(c.board)) end
    set_state(c.board, 'window:' .. c.window, 'whole ' .. c.current)
    show_built(c.board, c.clock)
  end
  expire_filled(c, c.key, rolling_expiry(c.clock.rows, c.unit, c.current, c.week_starts_on))
  return is_done
end

-- keep_window: does what a rolling window needs. First its current board is repaired where it is not whole. When the boundary comes
-- near, the board of the next period is prepared, so that nothing happens at the boundary. Answers the scan, the task that is
-- next, and after how many seconds.
local function keep_window(c)
  local call, clock = redis.call, c.clock
  c.current = period_number(c.unit, clock, c.week_starts_on)
  c.key, c.next_key = window_key(c.board, c.window, c.current), window_key(c.board, c.window, c.current + 1)
  local scan = read_scan(window_key(c.board, c.window, 'scan'), c.owner, clock.now_ms)
  local mark = whole_mark(clock.generation)
  local is_right = is_whole(c.board, clock, c.window, c.unit, c.length, c.current, call('ZSCORE', c.key, mark))
  -- What the last scan left keeps the order of ties that the scan knew.
  local is_ordered = not c.ties or scan.of == scan_of(c)
  local is_prepared = is_right and call('ZSCORE', c.next_key, mark) and (is_ordered or keeps_order(c, c.next_key))
  local function task_and_rest()
    if not is_right then return 'repair', 0 end
    local due_at = prepares_at(c, is_prepared and c.current + 1 or c.current)
    return is_prepared and 'ready' or 'prepare', math.max(0, math.ceil(due_at - clock.now))
  end
  local task, rest = task_and_rest()
  if scan.task ~= task then
    scan.scanned, scan.total = is_prepared and scan.scanned or 0, is_prepared and scan.total or 0
  end
  if scan.is_held or c.remaining == 0 or task == 'ready' or rest > 0 and not c.is_early then return scan, task, rest end
  if task == 'repair' then
    is_right = repair_window(c, scan)
  else
    is_prepared = prepare_window(c, scan)
  end
  keep_scan(c, scan, is_right and task == 'repair' or is_prepared)
  call('EXPIREAT', scan.key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on))
  return scan, task_and_rest()
end
