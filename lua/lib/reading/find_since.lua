-- find_since: since when (seconds) the window that find_window found is counted, where it began before; nil where the whole of it was
-- counted, where nobody knows, and where a clock that was ahead said it. A rolling window counts as its base periods do.
local function find_since(found)
  local asked, text = found.asked, ' ' .. (found.clock.state.since or '')
  local sums_periods = asked.kind == 'calendar' or asked.kind == 'rolling'
  local _, to = string.find(text, sums_periods and ' ' .. asked.unit or ' ' .. asked.window .. ':' .. asked.kind .. ':', 1, true)
  local since = to and tonumber(string.match(text, sums_periods and '^=(%d+)' or '^[^=]*=(%d+)', to + 1))
  if not since or since == 0 or since > found.clock.now then return nil end
  return (not found.starts_at or since > found.starts_at) and since or nil
end
