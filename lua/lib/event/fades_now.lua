-- fades_now: the boards of the decaying windows on which an event of now counts, each as { key, value, name, window, number }. Most sites have
-- one half-life window, whose board is told without making functions: see decay.
local function fades_now(c, delta, at)
  local name, life = string.match(c.decaying, '^%s*([^:%s]+):half%-life:%-:(%d+):0$')
  if life then
    local span = 512 * life
    local number = math.floor(c.now_ms / span)
    if c.now_ms + span / 8 < (number + 1) * span and at >= c.now_ms - span / 8 then
      return { { key = window_key(c.board, name, number), value = delta * 2 ^ ((at - number * span) / life), name = name } }
    end
  end
  local fades = {}
  for _, window in ipairs(decaying_windows(c)) do
    for _, on in ipairs(decaying_at(c, window, at)) do
      local value = delta * on[2]
      if value ~= 0 then
        local key = window_key(c.board, window.name, on[1])
        fades[#fades + 1] = { key = key, value = value, name = window.name, window = window, number = on[1] }
      end
    end
  end
  return fades
end
