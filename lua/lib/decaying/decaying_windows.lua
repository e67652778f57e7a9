-- decaying_windows: the decaying windows of a target, as its argument lists them.
local function decaying_windows(c)
  if c.decaying_windows then return c.decaying_windows end
  local windows = {}
  for name, kind, unit, amount, at in string.gmatch(c.decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    windows[#windows + 1] = { name = name, kind = kind, unit = unit, amount = tonumber(amount), at = tonumber(at) }
  end
  c.decaying_windows = windows
  return windows
end
