-- find_fades: the boards of the decaying windows on which an event of now counts, each as { key, value, name, window, number }.
local function find_fades(c, delta, at)
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
