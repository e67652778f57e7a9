-- decaying_windows: the decaying windows of a target, as its argument lists them, or those of a text that lists others. A half-life is `is_steady`
-- while an event of an instant later than `oldest` counts on its current board only: see decay.
local function decaying_windows(c, others)
  if c.decaying_windows and not others then return c.decaying_windows end
  local windows = {}
  for name, kind, unit, amount, at in string.gmatch(others or c.decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local window = { name = name, kind = kind, unit = unit, amount = tonumber(amount), at = tonumber(at), boards = {} }
    if kind == 'half-life' then
      local span = 512 * window.amount
      window.number = math.floor(c.now_ms / span)
      window.starts_at, window.oldest = window.number * span, c.now_ms - span / 8
      window.is_steady = c.now_ms >= window.starts_at + STEP_BACK_MS and c.now_ms + span / 8 < (window.number + 1) * span
    end
    windows[#windows + 1] = window
  end
  if not others then c.decaying_windows = windows end
  return windows
end
