-- fading_boards: the boards of windows that fade: marks and expiry.
-- @use decay, limits

-- decaying_expiry: when a board of a decaying window expires (seconds): a day after it is no longer current.
local function decaying_expiry(c, window, number)
  local kind, ends_at = window.kind, window.ends_at
  if kind == 'half-life' then
    ends_at = math.ceil((number + 1) * 512 * window.amount / 1000)
  elseif kind == 'step' then
    -- Steps of the zone's calendar: a month has at most 31 days, an hour at most 90 minutes.
    local longest = { h = 5400, d = 2 * 86400, w = 8 * 86400, m = 32 * 86400 }
    local _, span = life_and_span(kind, window.amount)
    ends_at = c.now + ((number + 1) * span - step_at(c, window, c.now_ms)) * longest[window.unit]
  end
  -- A double holds later instants than Redis takes.
  return math.min(math.ceil(ends_at) + 86400, 2 ^ 40)
end

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

-- fading_expiry: when the counts by action of a decaying window's board expire: with the board.
local function fading_expiry(c, key)
  local fading = c.boards[string.sub(key, 1, -9)].fading
  return fading and decaying_expiry(c, fading.window, fading.number)
end
