-- is_standing_whole: whether every member's score is right on the window that c.stands asks for, after a batch was counted.
local function is_standing_whole(c)
  local name = c.stands.window
  for _, window in ipairs(c.windows) do
    if window.name == name and string.sub(window.said, 1, 6) ~= 'whole ' then return false end
  end
  for _, broken in ipairs(c.broken or {}) do
    if broken[1].name == name then return false end
  end
  return true
end
