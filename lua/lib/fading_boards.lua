-- fading_boards: the boards of windows that fade: marks and expiry.
-- @use decay, limits, tallies

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

-- fading_value: what an event of now is worth on the board of its plan's half-life.
local function fading_value(plan, delta, at) return delta * 2 ^ ((at - plan.landmark) / plan.life) end

-- find_fades: the boards of the decaying windows on which an event of now counts, each as { key, value, name, window, number }.
local function find_fades(c, delta, at)
  local fades = {}
  for _, window in ipairs(decaying_windows(c)) do
    for _, on in ipairs(decaying_at(c, window, at)) do
      local value = delta * on[2]
      if value ~= 0 then
        local key = window_key(c.board, window.name, text_of(on[1]))
        fades[#fades + 1] = { key = key, value = value, name = window.name, window = window, number = on[1] }
      end
    end
  end
  return fades
end

-- planned_fades: the boards of decaying windows on which an event of now counts as planned, see find_fades: that of one half-life, or of all that there are.
local function planned_fades(c, delta, at)
  local plan = c.plan
  local key = plan.fading
  if key ~= '' then return { { key = key, value = fading_value(plan, delta, at), name = string.match(key, '([^:]+):%d+$') } } end
  if not c.second then
    c.now = math.floor(c.now_ms / 1000)
    c.hour, c.day, c.second, c.same_from = plan.hour, plan.day, c.now, plan.since
  end
  return find_fades(c, delta, at)
end

-- read_fades: reads what a member has on the boards of decaying windows on which an event of now counts, and how that and what it did there changes, where
-- actions are counted: so many `times`, below 0 where it is undone. nil where a board is full or not there, where it misses what the member did, and where
-- an undo finds nothing.
local function read_fades(c, member, delta, at, action, times)
  local call, fades = redis.call, planned_fades(c, delta, at)
  for i = 1, #fades do
    local fade = fades[i]
    local key, old = fade.key, call('ZSCORE', fade.key, member)
    if not old then
      if c.undoes or not call('ZSCORE', key, '\0') then return nil end
      if call('ZCOUNT', key, '(-inf', '+inf') >= most_members(c, ':' .. fade.name) then return nil end
    end
    fade.sum = (old or 0) + fade.value
    if is_residue(fade.sum, fade.value, fade.window) then fade.sum = 0 end
    if c.plan.has_actions then
      local tallies = actions_key(key)
      local did, is_kept = unpack(call('HMGET', tallies, member, '\0'))
      if not is_kept or not did ~= not old then return nil end
      fade.tallies, fade.tallied = tallies, tally(did, action, times, fade.value, false)
    end
  end
  return fades
end

-- put_fades: writes what read_fades found.
local function put_fades(member, fades)
  local call = redis.call
  for i = 1, #fades do
    local fade = fades[i]
    local key, sum, tallies, tallied = fade.key, fade.sum, fade.tallies, fade.tallied
    if tallied then
      call('HSET', tallies, member, tallied)
    elseif tallies then
      call('HDEL', tallies, member)
    end
    if sum ~= 0 then
      call('ZADD', key, string.format('%.17g', sum), member)
    else
      call('ZREM', key, member)
    end
  end
end
