-- begin_rolling: empties the boards of a rolling window whose base periods were reset. Where all of them were, it is whole, and has nobody. Else
-- it is to be repaired, with what is left.
local function begin_rolling(c, window, unit, length)
  local call, clock, state = redis.call, c.clock, state_key(c.board)
  local current = period_number(unit, clock, c.week_starts_on)
  local key, next_key = window_key(c.board, window, current), window_key(c.board, window, current + 1)
  call('UNLINK', touched_key(c.board, window), window_key(c.board, window, 'scan'))
  for near = current, current + 1 do
    clear_board(c, window_key(c.board, window, near), rolling_expiry(clock.rows, unit, near, c.week_starts_on), true)
  end
  call('ZREM', key, '\0scan')
  call('ZREM', next_key, '\0scan')
  local is_whole_now = c.reset_periods[unit].first <= current - length + 1
  if is_whole_now then call('ZADD', key, '-inf', whole_mark(clock.generation)) end
  call('HSET', state, 'window:' .. window, is_whole_now and 'whole ' .. current or 'broken')
end
