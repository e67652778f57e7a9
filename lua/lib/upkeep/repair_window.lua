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
    call('HSET', state_key(c.board), 'window:' .. c.window, 'whole ' .. c.current, 'changed', c.clock.now_us)
  end
  expire_filled(c, c.key, rolling_expiry(c.clock.rows, c.unit, c.current, c.week_starts_on))
  return is_done
end
