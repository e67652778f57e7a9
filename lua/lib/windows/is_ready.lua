-- is_ready: whether the rolling board of a period is right for every member. The state says up to which period boards
-- are; they are prepared one ahead, so that is the current period or the next one.
local function is_ready(board, window, current)
  local ready = redis.call('HGET', window_key(board, window, 'state'), 'ready')
  ready = ready and tonumber(ready)
  return ready == current or ready == current + 1
end
