-- break_window: unmarks the boards of a rolling window from the current period on, so that nobody takes them for whole and upkeep
-- repairs them.
local function break_window(board, clock, window, current)
  local mark = whole_mark(clock.generation)
  redis.call('ZREM', window_key(board, window, current), mark)
  redis.call('ZREM', window_key(board, window, current + 1), mark)
  redis.call('HSET', state_key(board), 'window:' .. window, 'broken', 'due', '')
end
