-- find_rolling: completes what find_window found of a rolling window. The current board is complete when its mark and the state
-- say so, see read_scores. The board before is as it was at its end; when the state does not vouch for it, its own mark must. A
-- past one is there when upkeep built it, see past_version.
local function find_rolling(found, current)
  local board, asked, clock = found.board, found.asked, found.clock
  local name, period = asked.window, found.period
  if period < current then
    found.complete = false
    local version = past_version(clock.state.past, name, asked.unit, asked.length, period)
    if version then
      found.key, found.mark = past_key(board, name, period), whole_mark(version)
    end
    return found
  end
  found.key, found.mark, found.is_current = window_key(board, name, period), whole_mark(clock.generation), true
  local since = tonumber(string.match(clock.state['window:' .. name] or '', '^whole (%-?%d+)$'))
  found.is_vouched = since and since < period
  if not clock.is_behind then found.previous = window_key(board, name, period - 1) end
  return found
end
