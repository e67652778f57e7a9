-- erase: a bounded piece of erasing an actor from a board: what it did, and where it stands when the board ranks actors.
--
-- What others see counted on items stays. Every step can be repeated; an event of the actor that comes meanwhile, or later,
-- counts anew.
--
-- 1. Read TIME. Answer 'SPAN' if the zone's span does not reach.
-- 2. First forget what it did and where curation put it.
-- 3. Take it from some more of the unit's periods. When those are done, the rolling windows made of them follow.
-- 4. At the end, take it from the decaying windows.
--
-- @key board                  prefix of the board's keys, "eb:{site:board}"
-- @arg actor          text    its id
-- @arg ranks_actors   number  1 when the board's members are actors
-- @arg units          text    see record, as are the next four
-- @arg retention      text
-- @arg rolling        text
-- @arg decaying       text
-- @arg options        text
-- @arg memory         number  seconds for which any configuration lets deeds be undone
-- @arg replay_window  number  seconds for which any configuration remembers ids
-- @arg cursor         text    empty at first, then what the last piece answered
-- @arg periods        number  periods in a piece, at least 1
-- @arg day_starts_at  number  seconds after local midnight
-- @arg week_starts_on number  0 = Monday … 6 = Sunday
-- @arg zone           text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @returns OK         'OK', now (Unix milliseconds), the cursor of the next piece, empty when none is left
-- @returns SPAN       'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include assign base_arrivals base_sums decay deed_key expire_window life_and_span linear_period once_key past_key
-- @include period_key period_number prepare read_clock read_options stretch_of window_key zone_rows

-- No period of a unit is shorter, in seconds.
local SHORTEST = { h = 1800, d = 82800, w = 6 * 86400, m = 27 * 86400, y = 364 * 86400 }

-- 1. Time.
local call = redis.call
local clock, span_reply = read_clock(zone, day_starts_at)
if span_reply then return span_reply end
local now, now_ms = clock.now, clock.now_ms
local beside = read_options(options)
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

-- 2. The memory, and the curation.
if cursor == '' then
  local who, keys = 'actor:' .. actor, {}
  for stretch = stretch_of(now - 2 * memory), stretch_of(now) do
    keys[#keys + 1] = deed_key(board, stretch, who)
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
  if ranks_actors == 1 then
    call('SREM', board .. ':hidden', actor)
    call('ZREM', board .. ':pinned', actor)
  end
end
if ranks_actors ~= 1 then return { 'OK', now_ms, '' } end

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
    local arrivals = beside and beside.ties and base_arrivals(board, unit, length, current, { actor }, beside.ties)
    local made_now = assign(window_key(board, name, current), { actor }, sums, beside, arrivals)
    local made_next = prepare(board, name, unit, length, current, { actor }, sums, beside)
    if made_now then expire_window(clock.rows, board, name, unit, current, week_starts_on, beside) end
    if made_next then expire_window(clock.rows, board, name, unit, current + 1, week_starts_on, beside) end
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
