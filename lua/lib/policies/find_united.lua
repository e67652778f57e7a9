-- find_united: completes what find_window found of a rolling window of values, which is made of its base periods when it is asked for, see
-- unite. The score of its mark tells after which change that was: below zero, so that it is no member's.
local function find_united(found)
  local key = window_key(found.board, found.asked.window, found.period)
  local made = tonumber(redis.call('ZSCORE', key, whole_mark(found.clock.generation)) or nil)
  found.complete, found.key, found.changed = made and true or false, made and key, made and string.format('%.0f', -made)
  return found
end
