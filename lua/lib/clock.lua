-- clock: the latest hour and day that a target saw, and the layout of its state.
-- @use zones

-- STEP_BACK_MS: how far a clock may go back without being believed, see hold_to_latest (milliseconds).
local STEP_BACK_MS = 60000

-- LAYOUT: that of the states that are written. A worker that knows layout 2 alone counts as planned without looking at what has changed, so it must find
-- no plan, and refuse the layout.
local LAYOUT = '3'

-- check_layout: the error that refuses a state of an unknown layout; nil when it is known, or when there is none yet. One of layout 2 is taken over when it
-- is written, see keep_clock.
local function check_layout(layout)
  if not layout or layout == LAYOUT or layout == '2' then return nil end
  local known = '; this version of edgeboard knows layout ' .. LAYOUT .. ', and takes over layout 2'
  return redis.error_reply('LAYOUT ' .. layout .. ' is the layout of the keys in this Redis' .. known)
end

-- SEEN_PERIODS: what read_seen read last, by its texts. A library keeps it from call to call.
local SEEN_PERIODS = { count = 0, most = 1000, of = {} }

-- read_seen: the latest hour and day that a state saw, and the minute of UTC where grains are counted, by its text: "H:D" or "H:D:M". nil where it saw
-- none.
local function read_seen(text)
  local seen = SEEN_PERIODS.of[text or '']
  if not seen then
    local hour, day, minute = string.match(text or '', '^(-?%d+):(-?%d+):?(%d*)$')
    if not hour then return nil end
    seen = keep_memo(SEEN_PERIODS, text, { tonumber(hour), tonumber(day), tonumber(minute) })
  end
  return seen[1], seen[2], seen[3]
end

-- local_now: the local hour and day of an instant (seconds). The rows keep them until either ends: most calls are of now.
local function local_now(rows, now)
  local latest = rows.latest
  if not latest or now < latest.since or now >= latest.till then
    local hour, day = local_count(rows, 'hour', 3600, now), local_count(rows, 'day', 86400, now)
    local since = math.max(local_start(rows, 'hour', 3600, hour), local_start(rows, 'day', 86400, day))
    local till = math.min(local_start(rows, 'hour', 3600, hour + 1), local_start(rows, 'day', 86400, day + 1))
    latest = { hour = hour, day = day, since = since, till = till }
    rows.latest = latest
  end
  return latest.hour, latest.day
end

-- hold_to_latest: holds a clock to the latest hour and day that its state saw, see read_seen and ARCHITECTURE.md, Time. A small step back is taken
-- for them, when they begin within a minute. A larger step is believed: then the clock `is_behind`.
local function hold_to_latest(clock, seen)
  clock.seen = seen
  local hour, day, minute = read_seen(seen)
  if not hour then return end
  local second, latest = clock.second, clock.now + STEP_BACK_MS / 1000
  if minute then second = math.max(second, 60 * minute) end
  local is_held = second <= latest
    and (hour <= clock.hour or local_start(clock.rows, 'hour', 3600, hour) <= latest)
    and (day <= clock.day or local_start(clock.rows, 'day', 86400, day) <= latest)
  if is_held then
    clock.hour, clock.day, clock.second = math.max(hour, clock.hour), math.max(day, clock.day), second
  else
    clock.is_behind = true
  end
end

-- read_clock: the time by Redis's clock, and the state of a target. `fields` are the fields of the state that the script needs
-- besides its own, `time` what TIME said to it, if it asked already. Answers a table:
-- - now (seconds), now_ms, now_us (microseconds)
-- - zone; rows, span_until: what it says, see zone_rows
-- - hour, day, second: the latest local hour and day, and the second, see period_number and hold_to_latest; hour and day are nil where the
--   zone is not known
-- - is_behind: the clock went back behind what the state saw, and is believed. Rolling windows are then incomplete
-- - layout: that of the state; is_old: it has none yet
-- - generation: of the marks of rolling boards
-- - state: the fields' values; false for one that is not there
-- When the script cannot go on, it also answers the reply to give: an unknown layout, or a zone that does not reach.
local function read_clock(board, zone, day_starts_at, fields, time)
  -- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
  local REACH = 397 * 86400
  time = time or redis.call('TIME')
  local now, us, state = tonumber(time[1]), tonumber(time[2]), {}
  local now_ms = now * 1000 + math.floor(us / 1000)
  local rows, span_until = zone_rows(zone, day_starts_at)
  local values = redis.call('HMGET', state_key(board), 'layout', 'seen', 'generation', unpack(fields))
  for i = 1, #fields do
    state[fields[i]] = values[i + 3]
  end
  local clock = {
    now = now,
    second = now,
    zone = zone,
    now_ms = now_ms,
    now_us = now * 1000000 + us,
    rows = rows,
    span_until = span_until,
    state = state,
    layout = values[1],
    is_old = not values[1],
    -- A new state begins with the instant: another one may have been lost, and left boards with marks of its own generations. '0' was
    -- the first one before that rule.
    generation = values[3] or values[1] and '0' or string.format('%d', now_ms),
  }
  local refusal = check_layout(values[1])
  if refusal then return clock, refusal end
  if now - REACH < rows[1].from or now + REACH > span_until then return clock, { 'SPAN', clock.now_ms, now - REACH, now + REACH } end
  clock.hour, clock.day = local_now(rows, now)
  hold_to_latest(clock, values[2])
  return clock
end

-- keep_clock: writes what a clock changes in the state of its target: the layout of a new one, the latest hour and day, and
-- a new generation after a clock that is believed went back, and what note_since found. A script that writes calls it before it writes anything else.
local function keep_clock(board, clock)
  -- A call that does not count knows no units, and keeps what was seen as it is written.
  local _, _, grain = unit_of(string.sub(clock.units or '', 1, 1))
  local has_grain = grain or not clock.units and string.find(clock.seen or '', ':.*:')
  local minute = has_grain and string.format(':%d', math.floor(clock.second / 60)) or ''
  local changes, seen = {}, string.format('%d:%d', clock.hour, clock.day) .. minute
  if clock.is_old then
    changes = { 'layout', LAYOUT, 'generation', clock.generation }
    clock.is_old, clock.layout = false, LAYOUT
  elseif clock.layout ~= LAYOUT then
    redis.call('HDEL', state_key(board), 'boards:browser', 'boards:server', 'boards:queue', 'arguments:queue')
    changes, clock.layout = { 'layout', LAYOUT }, LAYOUT
  end
  if clock.seen ~= seen then
    changes[#changes + 1], changes[#changes + 2] = 'seen', seen
    clock.seen = seen
  end
  if clock.is_behind then
    clock.generation = string.format('%d', clock.generation + 1)
    changes[#changes + 1], changes[#changes + 2] = 'generation', clock.generation
    changes[#changes + 1], changes[#changes + 2] = 'due', ''
    clock.is_behind = false
  end
  if clock.new_counts then
    changes[#changes + 1], changes[#changes + 2] = 'counts', clock.new_counts
    changes[#changes + 1], changes[#changes + 2] = 'since', clock.new_since
    changes[#changes + 1], changes[#changes + 2] = 'changed', clock.now_us
    if clock.kept_journal then
      changes[#changes + 1], changes[#changes + 2] = 'journal', clock.kept_journal
    end
    if clock.new_others then
      changes[#changes + 1], changes[#changes + 2] = 'others', clock.new_others
    end
    clock.new_counts = nil
  end
  if #changes > 0 then set_state(board, unpack(changes)) end
end

-- settle_clock: the hour and day that a call counts in, for every event of its batch. Answers the reply that asks for more of the zone,
-- if the zone does not reach.
local function settle_clock(c)
  -- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
  local REACH = 397 * 86400
  local batch, oldest = c.batch, c.now_ms
  for e = 1, batch.count + (batch.brought or 0) do
    local tracked = batch.tracked[e]
    local at = tracked and tracked.done_at or batch.instants[e]
    if at >= 0 and at < oldest then oldest = at end
  end
  if oldest >= c.same_from and c.is_usual then return nil end
  local rows = rows_of(c)
  local from, till = math.floor(oldest / 1000) - REACH, c.now + REACH
  if from < rows[1].from or not reaches(rows, c.now, till) then return { 'SPAN', c.now_ms, from, till } end
  c.hour, c.day = local_now(rows, c.now)
  c.own = { hour = c.hour, day = c.day, second = c.now, zone = c.zone }
  hold_to_latest(c, c.seen)
  for _, window in ipairs(c.is_behind and c.windows or {}) do
    window.stored = 'broken'
  end
end
