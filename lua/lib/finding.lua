-- finding: which board a reader's window is now, and what is lost of it.
-- @use clock, decay, united, window_notes, zones

-- find_decaying: completes what find_board found of a window that fades: its board, and what to multiply the scores with now. Those of a
-- half-life stand still from one tick to the next, so that nobody need read them anew meanwhile.
local function find_decaying(found, week_starts_on)
  local asked, now = found.asked, found.clock.now_ms
  local life, span = life_and_span(asked.kind, asked.amount)
  if asked.kind == 'step' then
    now = period_number(asked.unit, found.clock, week_starts_on)
  else
    found.scored_at = now - now % asked.tick
  end
  -- The board is that of now, not of the tick: writers have left the one before.
  local landmark, shown_at = math.floor(now / span), found.scored_at or now
  found.key, found.life, found.begins = window_key(found.board, asked.window, landmark), life, landmark * span
  found.scale = 2 ^ ((found.begins - shown_at) / life)
  found.shown_at = string.format('%s:%s', text_of(shown_at), text_of(landmark))
  return found
end

-- show_at: has a window that find_window found show the scores of an instant (milliseconds), if they fade. They come out as they did when that was now.
local function show_at(found, at)
  if not found.life then return end
  local asked, clock = found.asked, found.clock
  if asked.kind == 'half-life' then
    found.scored_at = at - at % asked.tick
    found.scale = 2 ^ ((found.begins - found.scored_at) / found.life)
  else
    local second = math.floor(at / 1000)
    local time = { second = second, zone = clock.zone }
    time.hour, time.day = local_count(clock.rows, 'hour', 3600, second), local_count(clock.rows, 'day', 86400, second)
    found.scale = 2 ^ ((found.begins - period_number(asked.unit, time, found.week_starts_on)) / found.life)
  end
end

-- find_linear: completes what find_board found of a window that is emptied at times: the period between two resets.
local function find_linear(found)
  local asked, rows = found.asked, zone_rows(found.asked.zone, found.asked.at)
  found.period, found.starts_at, found.ends_at = linear_period(rows, asked.unit, found.week_starts_on, found.clock.now)
  if found.number ~= '' then
    found.period = tonumber(found.number)
    found.starts_at, found.ends_at = period_bounds(rows, asked.unit, found.period, found.week_starts_on)
  end
  found.key, found.named_at = window_key(found.board, asked.window, found.period), found.starts_at
  return found
end

-- find_lost: which periods of the window that find_window found have lost what their boards held, as far as the state knows: "20770=1794528000 …"
-- with the second at which each starts. Of a calendar period of which nothing is shown it also looks whether its board is gone.
local function find_lost(found)
  local asked, clock, words = found.asked, found.clock, {}
  local unit, state = asked.unit, clock.state
  local function add(number)
    words[#words + 1] = string.format('%d=%d', number, (period_bounds(clock.rows, unit, number, found.week_starts_on)) or 0)
  end
  for number in string.gmatch(state['lost:' .. unit] or '', '%-?%d+') do
    number = tonumber(number)
    if number > found.period - asked.length and number <= found.period then add(number) end
  end
  local is_made = string.find(state['made:' .. unit] or '', ' ' .. found.period .. ' ', 1, true)
  if #words == 0 and asked.kind == 'calendar' and found.is_empty and is_made then
    if redis.call('EXISTS', found.key) == 0 then add(found.period) end
  end
  return table.concat(words, ' ')
end

-- find_rolling: completes what find_window found of a rolling window. The current board is complete when its mark and the state
-- say so, see read_scores. The board before is as it was at its end; when the state does not vouch for it, its own mark must. A
-- past one is there when upkeep built it, see past_version.
local function find_rolling(found, current)
  local board, asked, clock = found.board, found.asked, found.clock
  local name, period = asked.window, found.period
  if period < current then
    found.complete = false
    local version = past_version(clock.state.past, name, asked.unit, asked.length, period)
    if version then
      found.key, found.mark = past_key(board, name, period), whole_mark(version)
    end
    return found
  end
  found.key, found.mark, found.is_current = window_key(board, name, period), whole_mark(clock.generation), true
  local since = tonumber(string.match(clock.state['window:' .. name] or '', '^whole (%-?%d+)$'))
  found.is_vouched = since and since < period
  if not clock.is_behind then found.previous = window_key(board, name, period - 1) end
  return found
end

-- find_since: since when (seconds) the window that find_window found is counted, where it began before; nil where the whole of it was
-- counted, where nobody knows, and where a clock that was ahead said it. A rolling window counts as its base periods do.
local function find_since(found)
  local asked, text = found.asked, ' ' .. (found.clock.state.since or '')
  local sums_periods = asked.kind == 'calendar' or asked.kind == 'rolling'
  local _, to = string.find(text, sums_periods and ' ' .. asked.unit or string.format(' %s:%s:', asked.window, asked.kind), 1, true)
  local since = to and tonumber(string.match(text, sums_periods and '^=(%d+)' or '^[^=]*=(%d+)', to + 1))
  if not since or since == 0 or since > found.clock.now then return nil end
  return (not found.starts_at or since > found.starts_at) and since or nil
end

-- note_bounds: notes when the period and the window that find_window found start and end. What is asked for keeps them: most calls are of one period.
local function note_bounds(found)
  local asked, rows = found.asked, found.clock.rows
  local bounds = asked.bounds
  if not bounds or bounds.period ~= found.period then
    local named_at, ends_at = period_bounds(rows, asked.unit, found.period, asked.week_starts_on)
    local starts_at = asked.length > 1 and period_bounds(rows, asked.unit, found.period - asked.length + 1, asked.week_starts_on)
    bounds = { period = found.period, named_at = named_at, starts_at = starts_at or named_at, ends_at = ends_at }
    asked.bounds = bounds
  end
  found.named_at, found.starts_at, found.ends_at = bounds.named_at, bounds.starts_at, bounds.ends_at
end

-- refuse_period: the reply that refuses the period that find_window found: the zone must be known around it, it must have begun,
-- and it must be kept. nil when it is a good one. `current` is the current period; false where the zone is not known around now.
local function refuse_period(found, current)
  local clock, starts_at, ends_at = found.clock, found.starts_at, found.ends_at
  if starts_at and (starts_at <= clock.rows[1].from or ends_at >= clock.span_until) then
    local REACH = 397 * 86400 -- see read_clock
    return { 'SPAN', clock.now_ms, math.min(starts_at, ends_at) - REACH, ends_at + REACH }
  end
  local is_ahead
  if current then
    is_ahead = found.period > current
  else
    -- All time has no beginning.
    is_ahead = found.named_at and found.named_at > clock.now
  end
  if is_ahead then return { 'AHEAD' } end
  -- A rolling window needs its first base period, which ends after the window's start.
  local needed_until = found.asked.length > 1 and starts_at or ends_at
  local is_expired = needed_until and found.asked.kept > 0 and needed_until + found.asked.kept <= clock.now
  return is_expired and { 'GONE' } or nil
end

-- find_season: completes what find_board found of a window of seasons: that of now is the last one that began; before all of them the first
-- one, of which nothing is there. Nobody asked for the season of now, so it is not refused, and is empty when it is kept no longer.
local function find_season(found)
  local asked, clock = found.asked, found.clock
  local current, has_begun = last_season(clock)
  found.period = tonumber(found.number) or current
  local from, till, before = season_bounds(clock.zone, found.period)
  if not from then return nil, { 'AHEAD' } end
  found.named_at, found.starts_at, found.ends_at = from, from, till
  local refusal = refuse_period(found, has_begun and current or -math.huge)
  if refusal and (found.number ~= '' or refusal[1] == 'SPAN') then return nil, refusal end
  found.key = period_key(found.board, 's', found.period)
  local is_kept = before and (asked.kept == 0 or from + asked.kept > clock.now)
  found.previous = is_kept and period_key(found.board, 's', before) or nil
  return found
end

-- find_board: finds the sorted set that holds a window of a board, in the current period or in the one of a number that is asked for. `also` is one more
-- field of the state to read, `time` what TIME said, where that was asked already. Answers a table:
-- - key: the sorted set; nil for a past rolling window that is not built: it is incomplete, and has nobody
-- - mark: of a rolling window, the member that tells that every score is right, see read_scores
-- - scale: what to multiply its scores with
-- - period: its period's number
-- - named_at: when that period starts (seconds; nil where there is none)
-- - starts_at, ends_at: when the window starts and ends (likewise)
-- - complete: whether every member's score is right
-- - previous: the key of the period before; nil when none can be compared
-- - scored_at: of a half-life, the instant (milliseconds) whose scores are shown
-- - shown_at: two numbers that change when a window that fades shows other scores; of others its period does
-- - clock, asked, board, week_starts_on
-- - version, curated: see find_window
-- Or answers nil, and the reply to give instead. A period that is not kept is refused before its board is looked at.
local function find_board(board, asked, number, also, time)
  local kind, unit, week_starts_on = asked.kind, asked.unit, asked.week_starts_on
  local fields = { 'changed', 'curated', 'indexes', 'counted_since', 'made:' .. unit, 'lost:' .. unit }
  if kind == 'rolling' then
    fields[7], fields[8] = 'window:' .. asked.window, 'past'
  end
  if also then fields[#fields + 1] = also end
  local clock, refusal = read_clock(board, asked.zone, asked.day_starts_at, fields, time)
  -- A calendar period that is asked for may lie where the zone is known, and now where it is not.
  if refusal and (refusal.err or kind ~= 'calendar' or number == '') then return nil, refusal end
  local found = {
    board = board,
    asked = asked,
    number = number,
    clock = clock,
    scale = 1,
    complete = true,
    period = 0,
    week_starts_on = week_starts_on,
    version = '',
    curated = 'c' .. (clock.state.curated or '0'),
  }
  if kind == 'half-life' or kind == 'step' then return find_decaying(found, week_starts_on) end
  if kind == 'linear' then return find_linear(found) end
  if unit == 's' then return find_season(found) end
  local current = not refusal and period_number(unit, clock, week_starts_on)
  found.period = number == '' and current or tonumber(number)
  note_bounds(found)
  refusal = refuse_period(found, current)
  if refusal then return nil, refusal end
  if kind == 'rolling' then return find_rolling(found, current) end
  if kind == 'united' then return find_united(found) end
  found.key = period_key(board, unit, found.period)
  local is_kept = found.named_at and (asked.kept == 0 or found.named_at + asked.kept > clock.now)
  found.previous = is_kept and period_key(board, unit, found.period - 1) or nil
  return found
end

-- begin_reply: the beginning of a reply about a period that find_window found: its status, the fields of lua/fields/period.lua, and then
-- those that are given.
local function begin_reply(found, status, ...)
  local state, unit = found.clock.state, found.asked.unit
  local since = tonumber(state.counted_since or 0)
  local is_doubtful = state['lost:' .. unit] or found.is_empty and state['made:' .. unit]
  return {
    status,
    found.clock.now_ms,
    found.period,
    found.named_at or '',
    found.starts_at or '',
    found.ends_at or '',
    found.complete and 1 or 0,
    found.scored_at or '',
    since > (found.starts_at or 0) and since or '',
    is_doubtful and status == 'OK' and find_lost(found) or '',
    found.complete and found.version or '',
    found.curated,
    ...,
  }
end

-- find_window: finds the sorted set that holds a window of a board, see find_board, or answers nil and the reply to give instead: a period
-- is refused before its board is looked at, and nothing is read of what the reader knows already.
--
-- - version: what stays the same until something that the window shows may have changed: the instant of the last change, and what follows
--   from the time; '' where that instant is not known. With another generation the clock went back, and its instants may come again
-- - curated: likewise of what is changed by hand
local function find_window(board, asked, number, known, also, time)
  local found, refusal = find_board(board, asked, number, also, time)
  if not found then return nil, refusal end
  local state = found.clock.state
  local changed = found.changed or state.changed
  if changed and not found.clock.is_behind then
    local shown_at = found.shown_at or text_of(found.period) .. (found.previous and ':1' or ':0')
    found.version = table.concat({ changed, found.clock.generation, shown_at }, ':')
  end
  -- A page has a digest behind the version, see is_same_page.
  if known ~= '' and (known == found.curated or string.match(known, '^[^/]*') == found.version) then
    if known ~= found.curated then found.version = known end
    return nil, begin_reply(found, 'UNCHANGED')
  end
  return found
end
