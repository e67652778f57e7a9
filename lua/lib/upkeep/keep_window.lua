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
  if scan.is_held or c.left == 0 or task == 'ready' or rest > 0 and not c.is_early then return scan, task, rest end
  if task == 'repair' then
    is_right = repair_window(c, scan)
  else
    is_prepared = prepare_window(c, scan)
  end
  keep_scan(c, scan, is_right and task == 'repair' or is_prepared)
  call('EXPIREAT', scan.key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on))
  return scan, task_and_rest()
end
