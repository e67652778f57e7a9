-- is_ready: whether every member's place on the rolling board of a period is right. The state says up to which period
-- boards are; they are prepared one ahead, so that is the current period or the next one.
-- @include window_key
local function is_ready(board, window, current)
  local ready = redis.call('HGET', window_key(board, window, 'state'), 'ready')
  ready = ready and tonumber(ready)
  return ready == current or ready == current + 1
end
