-- is_unused: whether a target whose state does not tell what it counts has counted nothing. Upkeep may have begun the state before the
-- first event; another one may have been lost, or be one of layout 1.
local function is_unused(c)
  local keys = { c.board .. ':sequence' }
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local current = period_number(unit, c, c.week_starts_on)
    for number = current and current - 1 or 0, current or -1 do
      local key = period_key(c.board, unit, number)
      keys[#keys + 1], keys[#keys + 2] = key, key .. ':actions'
    end
  end
  for _, window in ipairs(decaying_windows(c)) do
    for _, on in ipairs(decaying_at(c, window, c.now_ms)) do
      keys[#keys + 1] = window_key(c.board, window.name, on[1])
    end
  end
  return redis.call('EXISTS', unpack(keys)) == 0
end
