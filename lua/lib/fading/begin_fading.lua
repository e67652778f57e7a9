-- begin_fading: looks after a member that is new on a board of a decaying window, see fades_now: removes it when the board is full, and
-- answers that; gives a board that it made its mark and its expiry.
local function begin_fading(c, fade, member)
  local members, window, number = redis.call('ZCOUNT', fade.key, '(-inf', '+inf'), fade.window, fade.number
  if members > most_members(c, ':' .. fade.name) and not c.undoes then
    redis.call('ZREM', fade.key, member)
    return true
  end
  if members > 1 or redis.call('ZSCORE', fade.key, '\0') then return false end
  if not window then
    window = decaying_windows(c)[1]
    number = window.number
  end
  redis.call('ZADD', fade.key, '-inf', '\0')
  redis.call('EXPIREAT', fade.key, decaying_expiry(c, window, number))
  return false
end
