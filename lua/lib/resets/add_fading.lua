-- add_fading: adds the boards of decaying windows, as the arguments list them, to what is reset, and answers how many entries the current ones
-- have.
local function add_fading(c, fades)
  local entries = 0
  for name, kind, unit, amount, second in string.gmatch(fades, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local current = decaying_number(c, kind, unit, tonumber(amount), tonumber(second))
    for number = current - 1, current + 1 do
      local members = add_board(c, window_key(c.board, name, number))
      if number == current then entries = entries + members end
    end
    c.reset_windows[name] = true
  end
  return entries
end
