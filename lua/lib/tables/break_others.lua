-- break_others: unmarks the rolling windows that upkeep made before anything was counted and that this configuration does not have: the state does
-- not list them yet, see list_window, and they miss what is counted now.
local function break_others(c)
  local has = {}
  for _, window in ipairs(c.windows) do
    has[window.name] = true
  end
  for _, field in ipairs(redis.call('HKEYS', state_key(c.board))) do
    local name = string.match(field, '^window:(.+)$')
    if name and not has[name] then c.broken[#c.broken + 1] = { { name = name }, 0 } end
  end
end
