-- fading_expiry: when the counts by action of a decaying window's board expire: with the board.
local function fading_expiry(c, key)
  local fading = c.boards[string.sub(key, 1, -9)].fading
  return fading and decaying_expiry(c, fading.window, fading.number)
end
