-- was_reset: whether a period of a unit, or without a number a decaying window, was reset after an instant (milliseconds).
local function was_reset(c, at, of, number)
  if at > c.reset_at then return false end
  c.reset_list = c.reset_list or read_resets(c.resets)
  if not number then return at <= (c.reset_list.windows[of] or -1) end
  for _, reset in ipairs(c.reset_list) do
    if reset[1] == of and at <= reset[4] and number >= reset[2] and number <= reset[3] then return true end
  end
  return false
end
