-- record: counts a batch of events into every window of one board, on Redis's own clock.
--
-- 1. Read TIME and every event's instant; an event of the future is left out.
-- 2. Find the periods that hold the instants. If the zone's span does not reach far enough, answer 'SPAN' and do nothing.
-- 3. Leave out what was seen before, and remember the ids of the rest.
-- 4. Add the deltas to the periods that are still kept, and give each new key its expiry.
-- 5. Bring the rolling windows up to date, and add to the decaying ones what each event is worth by its own time.
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
-- @arg retention       text    seconds each period is kept after its end, one per unit, separated by spaces; 0 = for ever
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
-- @include add_many add_one decay life_and_span linear_period local_count number_list period_bounds period_key
-- @include period_numbers remember roll round_decimals window_key zone_rows


-- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
local REACH = 397 * 86400

-- 1. Instants.
local time = redis.call('TIME')
local now = tonumber(time[1])
local now_ms = now * 1000 + math.floor(time[2] / 1000)

local kept_for = number_list(retention)
if #kept_for ~= #units or string.find(units, '[^hdwmya]') then
  return redis.error_reply('ERR record: a retention is needed for each unit, and units are letters of "hdwmya"')
end
if replay_window <= 0 then return redis.error_reply('ERR record: replay_window must be above 0') end

local rolling_windows = {}
for name, unit, length in string.gmatch(rolling, '([^:%s]+):(%a):(%d+)') do
  local index = string.find(units, unit, 1, true)
  if not index then return redis.error_reply('ERR record: ' .. name .. ' is made of a unit that is not counted') end
  rolling_windows[#rolling_windows + 1] = { name = name, unit = unit, length = tonumber(length), index = index }
end
local decaying_windows = {}
for name, kind, unit, amount, at in string.gmatch(decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
  local window = { name = name, kind = kind, unit = unit, amount = tonumber(amount), at = tonumber(at) }
  if not window.amount then return redis.error_reply('ERR record: ' .. name .. ' has no amount') end
  decaying_windows[#decaying_windows + 1] = window
end

local letters, instants, oldest = {}, {}, now_ms
for i = events, #ARGV, event_fields do
  local delta, when = tonumber(ARGV[i + 1]), ARGV[i + 2]
  local at = now_ms
  if when ~= '' then
    at = tonumber(string.match(when, '^@(%d+)$')) or now_ms - (tonumber(when) or 0 / 0)
  end
  if not delta or delta ~= delta or math.abs(delta) == math.huge or at ~= at then
    return redis.error_reply('ERR record: an event has no finite delta or no instant: ' .. ARGV[i + 1] .. ' ' .. when)
  end
  local e = #instants + 1
  instants[e] = at
  letters[e] = at > now_ms and 'f' or at < 0 and 'o' or 'c'
  if at < oldest and at >= 0 then oldest = at end
end

-- 2. Periods. Events whose instants lie in the same hour and day lie in the same periods and form a group.
local groups, groups_by_name = {}, {}
local function group_of(hour, day)
  local name = hour .. ':' .. day
  local group = groups_by_name[name]
  if not group then
    group = {
      hour = hour, day = day, numbers = period_numbers(units, hour, day, week_starts_on),
      members = {}, deltas = {}, counts = {}, -- by member: the sum of the deltas, how many events
      kept = 0, refusals = {}, refused = {}, -- periods that are kept; by member how many refused it; by unit which members
    }
    groups_by_name[name] = group
    groups[#groups + 1] = group
  end
  return group
end

local group_of_now, same_from = nil, math.huge
if now >= calm_from and now < calm_until then
  local hour_shift, day_shift = calm_offset % 3600, calm_offset - day_starts_at
  local hour, day = math.floor((now + hour_shift) / 3600), math.floor((now + day_shift) / 86400)
  group_of_now = group_of(hour, day)
  same_from = math.max(calm_from, hour * 3600 - hour_shift, day * 86400 - day_shift) * 1000
end

local rows, span_until
if oldest < same_from then
  rows, span_until = zone_rows(zone, day_starts_at)
  local from, till = math.floor(oldest / 1000) - REACH, now + REACH
  if from < rows[1].from or till > span_until then return { 'SPAN', now_ms, from, till } end
end

local function group_at(at)
  if at >= same_from then return group_of_now end
  local second = math.floor(at / 1000)
  return group_of(local_count(rows, 'hour', 3600, second), local_count(rows, 'day', 86400, second))
end

-- 3. Ids. The batch's id stands for all its events; an event's own id stands for its first event in the batch.
local ids, index_of = {}, {}
local function id_of(e)
  return batch_id ~= '' and batch_id or ARGV[events + (e - 1) * event_fields + 3]
end
for e = 1, #letters do
  local id = id_of(e)
  if letters[e] == 'c' and id ~= '' then
    if not index_of[id] then
      ids[#ids + 1] = id
      index_of[id] = #ids
    elseif batch_id == '' then
      letters[e] = 'd'
    end
  end
end
if #ids > 0 then
  local seen = remember(board, replay_window, now, ids)
  for e = 1, #letters do
    if letters[e] == 'c' and seen[index_of[id_of(e)]] then letters[e] = 'd' end
  end
end

-- 4. Sums, one per member of a group, into every period that is still kept.
local group_of_event = {}
for e = 1, #letters do
  if letters[e] == 'c' then
    local group = group_at(instants[e])
    local field = events + (e - 1) * event_fields
    local member, delta = ARGV[field], tonumber(ARGV[field + 1])
    if not group.deltas[member] then group.members[#group.members + 1] = member end
    group.deltas[member] = round_decimals((group.deltas[member] or 0) + delta)
    group.counts[member] = (group.counts[member] or 0) + 1
    group_of_event[e] = group
  end
end

local function expires_at(unit, number, kept)
  if kept == 0 then return nil end
  rows = rows or zone_rows(zone, day_starts_at)
  local _, ends_at = period_bounds(rows, unit, number, week_starts_on)
  return ends_at and ends_at + kept
end

local function add(group, unit, number, kept)
  local key = period_key(board, unit, number)
  local made, refused
  if #group.members == 1 then
    local member = group.members[1]
    local full
    made, full = add_one(key, member, group.deltas[member], max_members)
    refused = full and { [member] = true } or {}
  else
    made, refused = add_many(key, group.members, group.deltas, max_members, true)
  end
  local expiry = (made or next(refused)) and expires_at(unit, number, kept)
  if made and expiry then redis.call('EXPIREAT', key, expiry) end
  for member in pairs(refused) do
    group.refusals[member] = (group.refusals[member] or 0) + 1
    redis.call('INCRBY', key .. ':refused', group.counts[member])
    if expiry then redis.call('EXPIREAT', key .. ':refused', expiry) end
  end
  return refused
end

for g = 1, #groups do
  local group = groups[g]
  for i = 1, #group.members > 0 and #units or 0 do
    local unit, number = string.sub(units, i, i), group.numbers[i]
    local expiry = group ~= group_of_now and expires_at(unit, number, kept_for[i])
    if not expiry or expiry > now then
      group.kept = group.kept + 1
      group.refused[i] = add(group, unit, number, kept_for[i])
    end
  end
end

-- 5. Rolling windows: what of each member's sums falls into the window.
local DAY = 86400
for w = 1, #rolling_windows do
  local window = rolling_windows[w]
  local current = group_at(now_ms).numbers[window.index]
  local members, deltas, place, late = {}, {}, {}, false
  for g = 1, #groups do
    local group = groups[g]
    local number, refused = group.numbers[window.index], group.refused[window.index]
    if refused then
      late = late or number < current
      for m = 1, number > current - window.length and #group.members or 0 do
        local member = group.members[m]
        if not refused[member] then
          local at = place[member] or #members + 1
          place[member], members[at] = at, member
          deltas[at] = (deltas[at] or 0) + group.deltas[member]
        end
      end
    end
  end
  if #members > 0 then
    local made = { roll(board, window.name, window.unit, window.length, current, members, deltas) }
    for ahead = 0, 1 do
      if made[ahead + 1] then
        redis.call('EXPIREAT', window_key(board, window.name, current + ahead), expires_at(window.unit, current + ahead, DAY))
      end
    end
  end
  -- Rankings of past periods were made without this.
  if late then redis.call('HINCRBY', window_key(board, window.name, 'state'), 'late', 1) end
end

-- 6. Decaying windows: each event by its own time.
local counted, full = {}, {}
for w = 1, #decaying_windows do
  local window = decaying_windows[w]
  local boards_of, ends_at
  if window.kind == 'linear' then
    local linear_rows = zone_rows(zone, window.at)
    local current, starts_at, after = linear_period(linear_rows, window.unit, week_starts_on, now)
    boards_of = function(e)
      local second = math.floor(instants[e] / 1000)
      if second < starts_at then return {} end
      return { { current, window.amount * (second - starts_at) } }
    end
    ends_at = function() return after end
  else
    local life, span = life_and_span(window.kind, window.amount)
    local function time_of(group, at)
      if window.kind == 'half-life' then return at end
      return period_numbers(window.unit, group.hour, group.day, week_starts_on)[1]
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
  local sums = {}
  for e, _ in pairs(group_of_event) do
    local field = events + (e - 1) * event_fields
    local member, delta = ARGV[field], tonumber(ARGV[field + 1])
    for _, on in ipairs(boards_of(e)) do
      local number, factor = on[1], on[2]
      local sum = sums[number] or { members = {}, deltas = {}, events = {} }
      sums[number] = sum
      if not sum.deltas[member] then sum.members[#sum.members + 1] = member end
      sum.deltas[member] = (sum.deltas[member] or 0) + delta * factor
      sum.events[#sum.events + 1] = e
    end
  end
  for number, sum in pairs(sums) do
    local key = window_key(board, window.name, number)
    local made, refused = add_many(key, sum.members, sum.deltas, max_members, false)
    if made then redis.call('EXPIREAT', key, math.min(ends_at(number) + DAY, 2 ^ 40)) end
    for _, e in ipairs(sum.events) do
      local member = ARGV[events + (e - 1) * event_fields]
      if refused[member] then full[e] = true else counted[e] = true end
    end
  end
end

for e, group in pairs(group_of_event) do
  local refusals = group.refusals[ARGV[events + (e - 1) * event_fields]] or 0
  if not counted[e] and refusals == group.kept then
    letters[e] = (refusals > 0 or full[e]) and 'r' or 'o'
  end
end
return { 'OK', now_ms, table.concat(letters) }
