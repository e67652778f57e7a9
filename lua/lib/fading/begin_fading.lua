-- begin_fading: gives a board of a decaying window that an event made its expiry. `fade` is one of fades_now.
local function begin_fading(c, fade)
  local window, number = fade.window, fade.number
  if not window then
    window = decaying_windows(c)[1]
    number = math.floor(c.now_ms / (512 * window.amount))
  end
  redis.call('EXPIREAT', fade.key, decaying_expiry(c, window, number))
end
