-- begin_repair: begins to sum up the base boards of a rolling window. From now on writers note whom they touch.
local function begin_repair(c, scan)
  local call = redis.call
  list_window(c)
  local touched, expiry = touched_key(c.board, c.window), rolling_expiry(c.clock.rows, c.unit, c.current, c.week_starts_on)
  call('HSET', state_key(c.board), 'window:' .. c.window, 'repair ' .. c.current)
  clear_board(c, c.key, expiry, false)
  call('UNLINK', touched)
  call('SADD', touched, '\0scan')
  call('EXPIREAT', touched, expiry)
  begin_scan(scan, 'repair', scan_of(c), 'bases', c.current - c.length + 1)
end
