-- record: counts a batch of events into every window of one board, on Redis's own clock.
--
-- 1. Read TIME and check the arguments. A single event of now, by far the most common call, goes straight to step 4.
-- 2. Find every event's instant and the periods that hold it; an event of the future is left out. If the zone's span does
--    not reach far enough, answer 'SPAN' and do nothing.
-- 3. Leave out what was seen before, and remember the ids of the rest.
-- 4. Add the deltas to the periods that are still kept, and give each new key its expiry.
-- 5. Bring the rolling windows up to date.
-- 6. Add to the decaying windows what each event is worth by its own time.
--
-- @key board                  prefix of the board's keys, "eb:{site:board}"
-- @arg units           text    the periods to count, letters of "hdwmya": hour day week month year all; those of the
--                              calendar windows and those that rolling windows are made of
-- @arg calm_from       number  seconds: between calm_from and calm_until the zone's offset is calm_offset and no clock that
-- @arg calm_until      number  was set back still repeats itself; the usual case, for which the zone need not be parsed.
--                              It lies at least 397 days inside the zone's span
-- @arg calm_offset     number  seconds east of UTC
-- @arg day_starts_at   number  seconds after local midnight
-- @arg week_starts_on  number  0 = Monday … 6 = Sunday
-- @arg replay_window   number  seconds for which ids are remembered at least
-- @arg max_members     number  members a period may hold
-- @arg retention       text    seconds each period is kept after its end, ten digits per unit; 0 = for ever
-- @arg rolling         text    "name:unit:length …": the rolling windows, of so many of the unit's periods
-- @arg decaying        text    "name:kind:unit:amount:at …": the decaying windows; see life_and_span for the kinds
--                              half-life (unit is -) and step; linear resets each unit at the second `at` of the day
--                              and makes an event worth amount × seconds since
-- @arg zone            text    "until from:offset from:offset …": the zone's offsets over a span, see zone_rows
-- @arg batch_id        text    id of the whole batch, or empty
-- @each event           member, delta, when, id: `delta` a finite number; `when` empty (now), "1500" (milliseconds ago)
--                              or "@1700000000000" (Unix milliseconds); `id` of this event alone, or empty
-- @returns OK           'OK', now (Unix milliseconds), one letter per event: c counted, d duplicate, f in the future,
--                              o too old for every window, or of before 1970, r refused by every window (max_members)
-- @returns SPAN         'SPAN', now, from, until: the zone must be known from `from` until `until` (seconds)
-- @include period_key period_number remember
-- @later add check_sum decay life_and_span linear_period local_count period_bounds roll round_decimals window_key zone_rows

-- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
local REACH = 397 * 86400
local DAY = 86400

-- 1. Now; in calm time the hour and day that hold it, and since when (milliseconds) the same ones do.
local call, find, format, sub = redis.call, string.find, string.format, string.sub
local time = call('TIME')
local now = tonumber(time[1])
local now_ms = now * 1000 + (time[2] - time[2] % 1000) / 1000
local hour, day, same_from = nil, nil, math.huge
if now >= calm_from and now < calm_until then
  local hour_time, day_time = now + calm_offset % 3600, now + calm_offset - day_starts_at
  hour, day = (hour_time - hour_time % 3600) / 3600, (day_time - day_time % DAY) / DAY
  same_from = (now - math.min(hour_time % 3600, day_time % DAY, now - calm_from)) * 1000
end

-- Digits of a fixed number can be checked without being read.
if #retention ~= 10 * #units or not find(retention, '^%d*$') or not find(units, '^[hdwmya]*$') then
  return redis.error_reply('ERR record: a retention is needed for each unit, and units are letters of "hdwmya"')
end
if replay_window <= 0 then return redis.error_reply('ERR record: replay_window must be above 0') end

local rolling_windows = {}
if rolling ~= '' then
  for name, unit, length in string.gmatch(rolling, '([^:%s]+):(%a):(%d+)') do
    local index = find(units, unit, 1, true)
    if not index then return redis.error_reply('ERR record: ' .. name .. ' is made of a unit that is not counted') end
    rolling_windows[#rolling_windows + 1] = { name = name, unit = unit, length = tonumber(length), index = index }
  end
end

-- A single event of now. Sums that need a second look, of new members and fractions, and rolling windows wait until there
-- are functions for them.
local single = hour and decaying == '' and #ARGV == events + event_fields - 1 and ARGV[events + 2] == ''
local member, delta, unusual
if single then
  member, delta = ARGV[events], tonumber(ARGV[events + 1])
  if not delta or delta - delta ~= 0 then
    return redis.error_reply('ERR record: not a finite delta: ' .. ARGV[events + 1])
  end
  local id = batch_id ~= '' and batch_id or ARGV[events + 3]
  if id ~= '' and remember(board, replay_window, now, { id })[1] then return { 'OK', now_ms, 'd' } end
  local whole = delta % 1 == 0
  local text = format(whole and '%.0f' or '%.17g', delta)
  for i = 1, #units do
    local unit = sub(units, i, i)
    local number = period_number(unit, hour, day, week_starts_on)
    local key = period_key(board, unit, number)
    local sum = call('ZINCRBY', key, text, member)
    if sum == text or sum == '0' or #sum > 14 or not whole then
      unusual = unusual or {}
      unusual[#unusual + 1] = { index = i, key = key, number = number, sum = tonumber(sum) }
    end
  end
  if not unusual and rolling == '' then return { 'OK', now_ms, 'c' } end
end

-- @functions

-- When something of a period expires (seconds) that is kept for so long after its end; nil for never. Needed for new
-- keys and late events only, so the zone is read here.
local rows = nil
local function expires_at(unit, number, kept)
  if kept == 0 then return nil end
  rows = rows or zone_rows(zone, day_starts_at)
  local _, ends_at = period_bounds(rows, unit, number, week_starts_on)
  return ends_at and ends_at + kept
end
local function retention_of(index)
  return tonumber(sub(retention, index * 10 - 9, index * 10))
end

-- Notes what became of a base period's key: made, and how many events of new members it refused.
local function settle(index, key, number, made, refused)
  if not made and refused == 0 then return end
  local expiry = expires_at(sub(units, index, index), number, retention_of(index))
  if made and expiry then call('EXPIREAT', key, expiry) end
  if refused > 0 then
    call('INCRBY', key .. ':refused', refused)
    if expiry then call('EXPIREAT', key .. ':refused', expiry) end
  end
end

-- Brings a rolling window up to date for members whose base boards were just changed.
local function roll_window(window, current, members, deltas)
  local made_now, made_next = roll(board, window.name, window.unit, window.length, current, members, deltas)
  if made_now then call('EXPIREAT', window_key(board, window.name, current), expires_at(window.unit, current, DAY)) end
  if made_next then
    call('EXPIREAT', window_key(board, window.name, current + 1), expires_at(window.unit, current + 1, DAY))
  end
end

if single then
  local refusals, refused = 0, {}
  for u = 1, unusual and #unusual or 0 do
    local at = unusual[u]
    local made, full = check_sum(at.key, member, delta, at.sum, max_members, true)
    settle(at.index, at.key, at.number, made, full and 1 or 0)
    if full then refusals, refused[at.index] = refusals + 1, true end
  end
  for w = 1, #rolling_windows do
    local window = rolling_windows[w]
    if not refused[window.index] then
      roll_window(window, period_number(window.unit, hour, day, week_starts_on), { member }, { delta })
    end
  end
  return { 'OK', now_ms, refusals == #units and 'r' or 'c' }
end

-- 2. Instants. Events are told apart by their place in these lists.
local members, deltas, texts, instants, letters = {}, {}, {}, {}, {}
local count, oldest, whole = 0, now_ms, true
local last, worth, written = nil, nil, nil
for i = events, #ARGV, event_fields do
  local text, when, at = ARGV[i + 1], ARGV[i + 2], now_ms
  -- Most events of a batch are worth the same.
  if text ~= last then
    last, worth = text, tonumber(text)
    written = worth and format(worth % 1 == 0 and '%.0f' or '%.17g', worth)
    if not worth or worth % 1 ~= 0 then whole = false end
  end
  if when ~= '' then
    at = tonumber(string.match(when, '^@(%d+)$')) or now_ms - (tonumber(when) or 0 / 0)
  end
  if not worth or worth - worth ~= 0 or at ~= at then
    return redis.error_reply('ERR record: an event has no finite delta or no instant: ' .. text .. ' ' .. when)
  end
  count = count + 1
  members[count], deltas[count], texts[count], instants[count] = ARGV[i], worth, written, at
  letters[count] = at > now_ms and 'f' or at < 0 and 'o' or 'c'
  if at < oldest and at >= 0 then oldest = at end
end
if oldest < same_from then
  local span_until
  rows, span_until = zone_rows(zone, day_starts_at)
  local from, till = math.floor(oldest / 1000) - REACH, now + REACH
  if from < rows[1].from or till > span_until then return { 'SPAN', now_ms, from, till } end
end

local decaying_windows = {}
for name, kind, unit, amount, at in string.gmatch(decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
  local window = { name = name, kind = kind, unit = unit, amount = tonumber(amount), at = tonumber(at) }
  if not window.amount then return redis.error_reply('ERR record: ' .. name .. ' has no amount') end
  decaying_windows[#decaying_windows + 1] = window
end

-- Events whose instants lie in the same hour and day lie in the same periods and form a group.
local groups, groups_by_name = {}, {}
local function group_of(group_hour, group_day)
  local name = group_hour .. ':' .. group_day
  local group = groups_by_name[name]
  if not group then
    -- kept: how many of its periods are; counted: by unit, the events that its period took.
    group = { hour = group_hour, day = group_day, events = {}, kept = 0, counted = {} }
    groups_by_name[name] = group
    groups[#groups + 1] = group
  end
  return group
end
local group_of_now
local function group_at(at)
  if at >= same_from or at == now_ms and group_of_now then
    group_of_now = group_of_now or group_of(hour, day)
    return group_of_now
  end
  local second = math.floor(at / 1000)
  local group = group_of(local_count(rows, 'hour', 3600, second), local_count(rows, 'day', DAY, second))
  if at == now_ms then group_of_now = group end
  return group
end
local function number_in(group, unit)
  return period_number(unit, group.hour, group.day, week_starts_on)
end

-- 3. Ids. The batch's id stands for all its events; an event's own id stands for its first event in the batch.
local ids, event_of = {}, {}
for e = 1, count do
  local id = batch_id ~= '' and batch_id or ARGV[events + (e - 1) * event_fields + 3]
  if letters[e] == 'c' and id ~= '' then
    if event_of[id] then
      letters[e] = 'd'
    else
      ids[#ids + 1], event_of[id] = id, e
      if batch_id ~= '' then break end
    end
  end
end
if #ids > 0 then
  local seen = remember(board, replay_window, now, ids)
  for i = 1, #ids do
    if seen[i] then
      local first = event_of[ids[i]]
      for e = first, batch_id ~= '' and count or first do
        if letters[e] == 'c' then letters[e] = 'd' end
      end
    end
  end
end

-- 4. Every event into every period that is still kept.
local group_of_event, refusals, all_kept = {}, {}, true
for e = 1, count do
  if letters[e] == 'c' then
    local group = group_at(instants[e])
    group.events[#group.events + 1] = e
    group_of_event[e] = group
  end
end
for g = 1, #groups do
  local group = groups[g]
  local in_group = group.events
  for i = 1, #in_group > 0 and #units or 0 do
    local unit = sub(units, i, i)
    local number = number_in(group, unit)
    local expiry = group ~= group_of_now and expires_at(unit, number, retention_of(i))
    if expiry and expiry <= now then
      all_kept = false
    else
      local key = period_key(board, unit, number)
      local made, refused, counted = false, 0, in_group
      for n = 1, #in_group do
        local e = in_group[n]
        local text = texts[e]
        local sum = call('ZINCRBY', key, text, members[e])
        -- Only a new member, a zero and a fraction need a second look.
        if sum == text or sum == '0' or #sum > 14 or not whole then
          local first, full = check_sum(key, members[e], deltas[e], tonumber(sum), max_members, true)
          made = made or first
          if full then
            if refused == 0 then counted = { unpack(in_group) } end
            counted[n], refused, refusals[e] = false, refused + 1, (refusals[e] or 0) + 1
            all_kept = false
          end
        end
      end
      settle(i, key, number, made, refused)
      group.kept, group.counted[i] = group.kept + 1, counted
    end
  end
end

-- 5. Rolling windows: what of each member's sums falls into the window.
for w = 1, #rolling_windows do
  local window = rolling_windows[w]
  local current = number_in(group_at(now_ms), window.unit)
  local rolled, sums, place, late = {}, {}, {}, false
  for g = 1, #groups do
    local number, counted = number_in(groups[g], window.unit), groups[g].counted[window.index]
    late = late or counted and number < current
    for n = 1, counted and number > current - window.length and #counted or 0 do
      local e = counted[n]
      if e then
        local at = place[members[e]] or #rolled + 1
        place[members[e]], rolled[at] = at, members[e]
        sums[at] = round_decimals((sums[at] or 0) + deltas[e])
      end
    end
  end
  if #rolled > 0 then roll_window(window, current, rolled, sums) end
  -- Rankings of past periods were made without this.
  if late then call('HINCRBY', window_key(board, window.name, 'state'), 'late', 1) end
end

-- 6. Decaying windows: each event by its own time. `boards_of` an event are the boards on which it counts and what it is
-- worth there, `ends_at` is when a board is no longer current (seconds).
local faded, full = {}, {}
for w = 1, #decaying_windows do
  local window = decaying_windows[w]
  local boards_of, ends_at
  if window.kind == 'linear' then
    local current, starts_at, after = linear_period(zone_rows(zone, window.at), window.unit, week_starts_on, now)
    boards_of = function(e)
      local second = math.floor(instants[e] / 1000)
      return second < starts_at and {} or { { current, window.amount * (second - starts_at) } }
    end
    ends_at = function() return after end
  else
    local life, span = life_and_span(window.kind, window.amount)
    local function time_of(group, at)
      return window.kind == 'half-life' and at or number_in(group, window.unit)
    end
    local at_now = time_of(group_at(now_ms), now_ms)
    boards_of = function(e)
      return (decay(time_of(group_of_event[e], instants[e]), at_now, life, span))
    end
    ends_at = function(number)
      if window.kind == 'half-life' then return math.ceil((number + 1) * span / 1000) end
      -- Steps of the zone's calendar: a month has at most 31 days, an hour at most 90 minutes.
      local longest = { h = 5400, d = 2 * DAY, w = 8 * DAY, m = 32 * DAY }
      return now + ((number + 1) * span - at_now) * longest[window.unit]
    end
  end
  for e in pairs(group_of_event) do
    for _, on in ipairs(boards_of(e)) do
      local number, worth = on[1], deltas[e] * on[2]
      if worth ~= 0 then
        local key = window_key(board, window.name, number)
        local made, refused = add(key, members[e], worth, max_members, false)
        -- A double holds later instants than Redis takes.
        if made then call('EXPIREAT', key, math.min(math.ceil(ends_at(number)) + DAY, 2 ^ 40)) end
        if refused then full[e] = true else faded[e] = true end
      end
    end
  end
end

for e, group in pairs(all_kept and units ~= '' and {} or group_of_event) do
  local refused = refusals[e] or 0
  if not faded[e] and refused == group.kept then
    letters[e] = (refused > 0 or full[e]) and 'r' or 'o'
  end
end
return { 'OK', now_ms, table.concat(letters) }
