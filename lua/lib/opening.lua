-- opening: what each call that counts reads of the state first.
-- @use batch_parts, clock

-- ROLLING: the rolling windows of the texts that were read last. A library keeps them from call to call.
local ROLLING = { count = 0, most = 300, of = {} }

-- read_rolling: the rolling windows that a text lists, see lua/fields/target.lua: each with the fields of a state that tell of it.
local function read_rolling(text)
  local windows = ROLLING.of[text]
  if windows then return windows end
  windows = {}
  for name, unit, length in string.gmatch(text, '([^:%s]+):(%a):(%d+)') do
    windows[#windows + 1] = { name = name, unit = unit, length = tonumber(length), fields = { 'window:' .. name, 'made:' .. unit } }
  end
  return keep_memo(ROLLING, text, windows)
end

-- window_fields: the fields of a state with those of each rolling window: how it is, and the made base boards of its unit.
local function window_fields(c, fields)
  for _, listed in ipairs(read_rolling(c.rolling)) do
    fields[#fields + 1], fields[#fields + 2] = listed.fields[1], listed.fields[2]
  end
  return fields
end

-- read_windows: the rolling windows, each { name, unit, length, index, said, made }, see read_state. Behind so many fields in c.said stand theirs, see
-- window_fields. Else the reply that refuses the call.
local function read_windows(c, before)
  local windows, stored = {}, c.stored
  for i, listed in ipairs(read_rolling(c.rolling)) do
    local at, index = before + 2 * i - 1, string.find(c.units, listed.unit, 1, true)
    if not index then return nil, redis.error_reply('UNTOUCHED ERR ' .. listed.name .. ' is made of a unit that is not counted') end
    windows[i] = {
      name = listed.name,
      unit = listed.unit,
      length = listed.length,
      index = index,
      stored = stored[at] or '',
      made = stored[at + 1] or '',
    }
  end
  return windows
end

-- ask_state: asks for the state of a call's target: what every call that counts needs, see read_state, and `more` fields. c.said are their values,
-- or an error. First stand eleven fields in the order below. Then come two of each rolling window: how it is, and the made base boards of its unit;
-- then, where there are options, the last sequence number; then `more`; at last, where senders are bounded, who made new members, see
-- read_newcomers. Answers the place of the last of the windows' fields, and of the last of all.
local function ask_state(c, more)
  local ids, turned, parts = 'ids:' .. c.sender, 'turned:' .. c.sender, 'parts:' .. c.sender
  local named = { 'layout', 'seen', 'generation', ids, turned, parts, 'indexes', 'counts', 'moved', 'resets', 'archived' }
  local fields = window_fields(c, named)
  local last_window = #fields
  if c.options then fields[last_window + 1] = 'sequence' end
  for _, field in ipairs(more) do
    fields[#fields + 1] = field
  end
  if c.newcomers ~= '' then fields[#fields + 1] = 'newcomers' end
  c.stored = redis.pcall('HMGET', state_key(c.board), unpack(fields))
  return last_window, #fields
end

-- judge_target: what is wrong with what a call says of its target; nil where it is right.
local function judge_target(c)
  local units = c.units
  -- Digits of a fixed number can be checked without being listed.
  if #c.retention ~= 10 * #units or not string.find(c.retention, '^%d*$') then return 'a retention is needed for each unit' end
  for unit in string.gmatch(units, '.') do
    if not unit_of(unit) then return unit .. ' is no unit' end
  end
  if c.replay_window <= 0 then return 'replay_window must be above 0' end
  if not string.find(c.max_members .. ' ', '^%d+ ') then return 'max_members must begin with a number' end
end

-- find_hour: the local hour and day of a call's clock, where the zone's offset is stable, and its second: see read_state.
local function find_hour(c)
  local now, from, offset = c.now, c.stable_from, c.stable_offset
  c.same_from, c.second, c.finest = math.huge, now, select(3, unit_of(string.sub(c.units, 1, 1)))
  local season_from = -math.huge
  if string.find(c.units, 's', 1, true) then
    c.season, season_from, c.season_until = season_at(c.zone, now)
    c.is_between = not c.season
  end
  if now < from or now >= c.stable_until then return end
  local hour_time, day_time = now + offset % 3600, now + offset - c.day_starts_at
  local hour, day = (hour_time - hour_time % 3600) / 3600, (day_time - day_time % 86400) / 86400
  c.hour, c.day = hour, day
  c.same_from = (
    now - math.min(hour_time % 3600, day_time % 86400, now - from, now - season_from, c.finest and now % c.finest or math.huge)
  ) * 1000
  if c.resets then c.same_from = math.max(c.same_from, c.reset_at + 1) end
  local counts = c.journal and c.counts .. ' journal' or c.counts
  local seen_hour, seen_day, seen_minute = read_seen(c.seen)
  local is_seen = seen_hour == hour and seen_day == day and seen_minute == (c.finest and (now - now % 60) / 60 or nil)
  c.is_usual = c.layout == LAYOUT and is_seen and c.kept_counts == counts
end

-- read_state: checks the arguments of a call, and reads what the state of its target says. Answers the reply that refuses the call, if
-- any.
--
-- c then has, besides what ask_state finds:
-- - now (seconds), now_ms, now_us (microseconds)
-- - windows: the rolling windows, each { name, unit, length }
-- - second: that of the clock. finest: the seconds of the shortest grain that is counted, if any
-- - season, season_until: the season that is now and when it ends, where seasons are counted; is_between: there is none now
-- - hour, day: the local ones of the clock, where the zone's offset is stable. same_from: since when (milliseconds) they are, and the
--   shortest grain is
-- - resets, reset_at: what was reset, if anything, and when last (milliseconds), see read_resets
-- - is_usual: the state's layout is known, they are the latest ones that it saw, and it knows what is counted, see note_since
-- - index, said and made of each rolling window: that of its unit, how it is, and its base boards
-- - id_turn: the number of the set that ids go into, while that takes turns with the one before
local function read_state(c)
  local stored, now, us, target = c.stored, tonumber(c.time[1]), tonumber(c.time[2]), getmetatable(c) or c
  c.now, c.now_ms, c.now_us = now, now * 1000 + (us - us % 1000) / 1000, now * 1000000 + us
  if stored.err then return untouched(stored) end
  -- The library keeps what calls say of their targets, so that it is judged once.
  if not target.counts then
    local problem = judge_target(c)
    if problem then return redis.error_reply('UNTOUCHED ERR ' .. problem) end
    target.counts = c.units .. c.retention .. ' ' .. c.rolling .. ' ' .. c.decaying
  end
  local windows, refusal = read_windows(c, 11)
  if not windows then return refusal end
  c.windows = windows
  local layout, turned_at = stored[1], tonumber(stored[5] or nil)
  if layout ~= LAYOUT then
    refusal = check_layout(layout)
    if refusal then return refusal end
  end
  c.layout, c.seen, c.kept_indexes, c.kept_counts, c.moved, c.resets = layout, stored[2], stored[7], stored[8], stored[9], stored[10]
  c.begun = stored[11]
  -- Also in the hours after the zone's clock changed, of which find_hour knows little.
  c.reset_at = c.resets and tonumber(string.match(c.resets, '^%d+'))
  -- See read_clock.
  c.generation = stored[3] or layout and '0' or string.format('%d', c.now_ms)
  -- The turn in which the last part of a batch was remembered.
  c.ids_turn, c.ids_turned_at, c.parts_turn = tonumber(stored[4] or 0), turned_at, tonumber(stored[6] or nil)
  c.has_parts = c.parts_turn and c.parts_turn >= c.ids_turn - 1
  c.id_turn = turned_at and now >= turned_at and now < turned_at + c.replay_window and c.ids_turn
  return find_hour(c)
end

-- open_call: asks for the state of a call that counts, and reads it. Answers the reply that refuses the call, if any.
--
-- Where the queue delivers the call, c.id_classes are the classes of ids that its events are looked for among: those of its senders, for what
-- they send themselves; the queue's own of these senders, which are remembered for as long as it delivers; and one with is_retired, in which earlier
-- versions kept the ids of all messages. Nothing is added to that.
local function open_call(c)
  local more, names = c.options and { 'past', 'buckets', 'journal', 'others' } or {}, {}
  local class, queue_window = string.match(c.sender, '^(%l+):(%d+)$')
  if class then
    c.sender, names = class, { 'queued-' .. class, 'queue' }
  end
  for _, name in ipairs(names) do
    for _, field in ipairs({ 'ids:', 'turned:', 'parts:' }) do
      more[#more + 1] = field .. name
    end
  end
  c.time = c.time or redis.call('TIME')
  local last_window = ask_state(c, more)
  c.has_all = c.has_all == '1'
  if c.journal == 0 then c.journal = nil end
  local is_read, refusal = pcall(read_state, c)
  if not is_read then return untouched(refusal) end
  if c.options then
    c.sequence, c.past, c.kept_buckets, c.kept_journal, c.others = unpack(c.stored, last_window + 1, last_window + 5)
  end
  for i, name in ipairs(refusal and {} or names) do
    local from = last_window + (c.options and 5 or 0) + 3 * i
    local turn, turned_at, parts_turn = unpack(c.stored, from - 2, from)
    class = { sender = name, replay_window = tonumber(queue_window), is_retired = i == 2, ids_turn = tonumber(turn or 0) }
    class.ids_turned_at, class.parts_turn = tonumber(turned_at or nil), tonumber(parts_turn or nil)
    if class.parts_turn and class.parts_turn >= class.ids_turn - 1 then c.has_parts = true end
    c.id_classes = c.id_classes or { c }
    c.id_classes[i + 1] = class
  end
  return refusal
end
