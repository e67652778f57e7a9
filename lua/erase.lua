-- erase: erases an actor from a board, one bounded chunk at a time: its tracked actions, and itself when the board ranks actors.
--
-- What its events counted for items stays. Every step can be repeated. An event of the actor that comes meanwhile, or later,
-- counts as new.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. In the first chunk, forget its tracked actions and its curation.
-- 3. Remove it from some more periods of the unit. When those are done, the rolling windows made of them follow.
-- 4. At the end, remove it from the decaying windows.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @arg actor             text    the actor's id
-- @arg has_actors        int     1 when the board's members are actors
-- @args target
-- @arg actor_history     int     seconds for which any configuration lets tracked actions be undone
-- @arg replay_window     int     seconds for which any configuration remembers ids
-- @arg cursor            text    empty at first, then what the last chunk answered
-- @arg periods           int     periods in a chunk, at least 1
-- @args calendar
-- @returns OK                    a chunk is done
-- @field now_ms          int     Unix milliseconds
-- @field cursor          text    the cursor of the next chunk; empty when none is left
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span

-- No period of a unit is shorter, in seconds.
local SHORTEST = { h = 1800, d = 82800, w = 6 * 86400, m = 27 * 86400, y = 364 * 86400 }

-- 1. Time.
local call = redis.call
local clock, span_reply = read_clock(board, zone, day_starts_at, {})
if span_reply then return span_reply end
local now, now_ms = clock.now, clock.now_ms
local indexes = read_indexes(options)
local function current_of(unit) return period_number(unit, clock.hour, clock.day, week_starts_on) end

-- How many periods back something of a unit may be that is kept for so long after its end.
local function reach_of(unit, kept)
  if unit == 'a' then return 0 end
  if unit == 'y' and kept == 0 then return current_of('y') - 1970 end
  return math.ceil(kept / SHORTEST[unit]) + 1
end

local function drop(key)
  local score = call('ZSCORE', key, actor)
  if score then
    call('ZREM', key, actor)
    if call('ZCOUNT', key, score, score) == 0 then call('ZREM', key .. ':scores', string.format('%.17g', tonumber(score))) end
  end
  for _, order in ipairs({ ':first', ':last' }) do
    call('ZREM', key .. order, actor)
  end
  call('HDEL', key .. ':actions', actor)
end

-- 2. Tracked actions, and the curation.
if cursor == '' then
  local who, keys = 'actor:' .. actor, {}
  for bucket = bucket_of(now - 2 * actor_history), bucket_of(now) do
    keys[#keys + 1] = tracked_key(board, bucket, who)
  end
  for unit in string.gmatch('hdwmya', '%a') do
    local number = current_of(unit)
    for back = 0, reach_of(unit, replay_window) do
      keys[#keys + 1] = once_key(board, unit, number - back, who)
    end
  end
  for from = 1, #keys, 1000 do
    call('UNLINK', unpack(keys, from, math.min(from + 999, #keys)))
  end
  if has_actors == 1 then
    call('SREM', board .. ':hidden', actor)
    call('ZREM', board .. ':pinned', actor)
  end
end
if has_actors ~= 1 then return { 'OK', now_ms, '' } end

-- 3. Periods, and the rolling windows made of them.
local at, back = string.match(cursor, '^(%d+):(%d+)$')
at, back = tonumber(at or 1), tonumber(back or 0)
if at <= #units then
  local unit = string.sub(units, at, at)
  local current, reach = current_of(unit), reach_of(unit, tonumber(string.sub(retention, at * 10 - 9, at * 10)))
  local windows = {}
  for name, of, length in string.gmatch(rolling, '([^:%s]+):(%a):(%d+)') do
    if of == unit then windows[#windows + 1] = { name = name, length = tonumber(length) } end
  end
  local last = math.min(back + periods - 1, reach)
  for number = current - back, current - last, -1 do
    drop(period_key(board, unit, number))
    for w = 1, #windows do
      drop(past_key(board, windows[w].name, number))
    end
  end
  if last < reach then return { 'OK', now_ms, at .. ':' .. last + 1 } end
  -- What the actor did meanwhile stays.
  for w = 1, #windows do
    local name, length = windows[w].name, windows[w].length
    -- Older ones are not kept.
    for near = current - 2, current + 1 do
      drop(window_key(board, name, near))
    end
    local sums = base_sums(board, unit, length, current, { actor })
    local sequences = indexes and indexes.ties and base_sequences(board, unit, length, current, { actor }, indexes.ties)
    local made_now = assign(window_key(board, name, current), { actor }, sums, indexes, sequences)
    local made_next = prepare(board, name, unit, length, current, { actor }, sums, indexes)
    if made_now then expire_window(clock.rows, board, name, unit, current, week_starts_on, indexes) end
    if made_next then expire_window(clock.rows, board, name, unit, current + 1, week_starts_on, indexes) end
  end
  return { 'OK', now_ms, (at + 1) .. ':0' }
end

-- 4. Decaying windows.
for name, kind, unit, amount, second in string.gmatch(decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
  local number
  if kind == 'linear' then
    number = linear_period(zone_rows(zone, tonumber(second)), unit, week_starts_on, now)
  else
    local life, span = life_and_span(kind, tonumber(amount))
    local position = kind == 'step' and current_of(unit) or now_ms
    local _, landmark = decay(position, position, life, span)
    number = landmark
  end
  for near = number - 1, number + 1 do
    drop(window_key(board, name, near))
  end
end
return { 'OK', now_ms, '' }
