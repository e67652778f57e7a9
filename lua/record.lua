-- record: counts a batch of events into every window of one board, on Redis's own clock.
--
-- 1. Read TIME and check the arguments. A single event of now, by far the most common call, goes straight to step 5.
-- 2. Find every event's instant and the periods that hold it; an event of the future is left out. If the zone's span does
--    not reach far enough, answer 'SPAN' and do nothing.
-- 3. Leave out what was seen before, and remember the ids of the rest.
-- 4. Count tracked actions, which count once or can be undone, one by one and in their order: leave out what was done already.
--    An undo takes its action away at that action's instant.
-- 5. Add the deltas to the periods that are still kept, and give each new key its expiry.
-- 6. Bring the rolling windows up to date.
-- 7. Add to the decaying windows what each event is worth by its own time.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args target
-- @args stable_offset
-- @arg replay_window     int     seconds for which ids are remembered at least
-- @arg max_members       int     members a period may hold
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg new_salt          text    random text, for visitors of a day that has no salt yet; empty when no event has a visitor
-- @arg batch_id          text    id of the whole batch, or empty
-- @args calendar
-- @each event                    an event
-- @field member          text    the member that it counts for
-- @field delta           number  what it is worth
-- @field when            text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @field id              text    id of this event alone, or empty
-- @field tracked         text    empty for an event that is not tracked; with "actions" among the options, its action. For a
--                                tracked one: "action:verb:once:what:who". verb is o (once), r (reversible) or u (undo). once is
--                                the letter of the unit in which it counts once, or -. what is a digest of action and item. who is
--                                "actor:…" or "visitor:…"
-- @returns OK                    what became of the events
-- @field now_ms          int     Unix milliseconds
-- @field outcomes        text    an outcome code per event. c: counted. d: duplicate. f: in the future. o: too old for every
--                                window, or of before 1970. r: refused by every window (max_members). s: done already. n: an undo
--                                of what was not done. u: undone already. l: an undo that comes too late
-- @returns SPAN                  the zone's span does not reach; nothing was done
-- @fields span
-- @include period_key period_number remember
-- @later add unpack_sequence check_sum decay tracked_key expire_window expire_board find_tracked update_indexes keep_until life_and_span
-- @later linear_period local_count once_key period_bounds read_indexes roll round_decimals bucket_of tally window_key zone_rows

-- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
local REACH = 397 * 86400
local DAY = 86400
-- An action that was reported later than that (milliseconds) cannot be undone. So the years of the zone that an undo may
-- need are known before its record is read.
local LATEST = 366 * DAY * 1000

-- 1. Now. Where the zone's offset is stable, also the hour and day that hold it, and since when (milliseconds) they do.
local call, find, format, sub = redis.call, string.find, string.format, string.sub
local time = call('TIME')
local now = tonumber(time[1])
local now_ms = now * 1000 + (time[2] - time[2] % 1000) / 1000
local hour, day, same_from = nil, nil, math.huge
if now >= stable_from and now < stable_until then
  local hour_time, day_time = now + stable_offset % 3600, now + stable_offset - day_starts_at
  hour, day = (hour_time - hour_time % 3600) / 3600, (day_time - day_time % DAY) / DAY
  same_from = (now - math.min(hour_time % 3600, day_time % DAY, now - stable_from)) * 1000
end

-- Digits of a fixed number can be checked without being read.
if #retention ~= 10 * #units or not find(retention, '^%d*$') or not find(units, '^[hdwmya]*$') then
  return redis.error_reply('ERR record: a retention is needed for each unit, and units are letters of "hdwmya"')
end
if replay_window <= 0 or actor_history <= 0 then return redis.error_reply('ERR record: replay_window and actor_history must be above 0') end

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
local single = hour
  and decaying == ''
  and options == ''
  and #ARGV == events + event_fields - 1
  and ARGV[events + 2] == ''
  and ARGV[events + 4] == ''
local member, delta, unusual
if single then
  member, delta = ARGV[events], tonumber(ARGV[events + 1])
  if not delta or delta - delta ~= 0 then return redis.error_reply('ERR record: not a finite delta: ' .. ARGV[events + 1]) end
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

local indexes = read_indexes(options)

-- The zone's rows: needed for new keys and late events only, so they are read late.
local rows = nil
local function the_rows()
  rows = rows or zone_rows(zone, day_starts_at)
  return rows
end

-- When something of a period expires (seconds) that is kept for so long after its end; nil for never.
local function expires_at(unit, number, kept)
  if kept == 0 then return nil end
  local _, ends_at = period_bounds(the_rows(), unit, number, week_starts_on)
  return ends_at and ends_at + kept
end
local function retention_of(index) return tonumber(sub(retention, index * 10 - 9, index * 10)) end

-- After writes to a base period's key: sets its expiry when they made it, and counts the events of new members it refused.
local function set_expiry_and_refusals(index, key, number, made, refused)
  if not made and refused == 0 then return end
  local expiry = expires_at(sub(units, index, index), number, retention_of(index))
  if made and expiry then expire_board(indexes, key, expiry) end
  if refused > 0 then
    call('INCRBY', key .. ':refused', refused)
    if expiry then call('EXPIREAT', key .. ':refused', expiry) end
  end
end

-- Brings a rolling window up to date for members whose base boards were just changed.
local function roll_window(window, current, members, deltas, sequences)
  local made_now, made_next = roll(board, window.name, window.unit, window.length, current, members, deltas, indexes, sequences)
  if made_now then expire_window(the_rows(), board, window.name, window.unit, current, week_starts_on, indexes) end
  if made_next then expire_window(the_rows(), board, window.name, window.unit, current + 1, week_starts_on, indexes) end
end

if single then
  local refusals, refused = 0, {}
  for u = 1, unusual and #unusual or 0 do
    local at = unusual[u]
    local made, full = check_sum(at.key, member, delta, at.sum, max_members, true)
    set_expiry_and_refusals(at.index, at.key, at.number, made, full and 1 or 0)
    if full then
      refusals, refused[at.index] = refusals + 1, true
    end
  end
  for w = 1, #rolling_windows do
    local window = rolling_windows[w]
    if not refused[window.index] then roll_window(window, period_number(window.unit, hour, day, week_starts_on), { member }, { delta }) end
  end
  return { 'OK', now_ms, refusals == #units and 'r' or 'c' }
end

-- 2. Instants. An event is known by its index in these lists.
local members, deltas, texts, instants, outcomes, actions, tracked_actions = {}, {}, {}, {}, {}, {}, {}
local count, oldest, whole = 0, now_ms, true
local last, worth, written = nil, nil, nil
for i = events, #ARGV, event_fields do
  local text, when, tracked, at = ARGV[i + 1], ARGV[i + 2], ARGV[i + 4], now_ms
  -- Most events of a batch are worth the same.
  if text ~= last then
    last, worth = text, tonumber(text)
    written = worth and format(worth % 1 == 0 and '%.0f' or '%.17g', worth)
    if not worth or worth % 1 ~= 0 then whole = false end
  end
  if when ~= '' then at = tonumber(string.match(when, '^@(%d+)$')) or now_ms - (tonumber(when) or 0 / 0) end
  if not worth or worth - worth ~= 0 or at ~= at then
    return redis.error_reply('ERR record: an event has no finite delta or no instant: ' .. text .. ' ' .. when)
  end
  count = count + 1
  members[count], deltas[count], texts[count], instants[count] = ARGV[i], worth, written, at
  outcomes[count] = at > now_ms and 'f' or at < 0 and 'o' or 'c'
  if at < oldest and at >= 0 then oldest = at end
  if tracked ~= '' and find(tracked, ':', 1, true) then
    local action, verb, once, what, who = string.match(tracked, '^([^:]*):([oru]):([-hdwmya]):([%w_-]+):(%a+:.+)$')
    if not action or (sub(who, 1, 8) == 'visitor:' and new_salt == '') then
      return redis.error_reply('ERR record: a tracked action is not "action:verb:once:what:who", or it has no salt: ' .. tracked)
    end
    actions[count] = action
    tracked_actions[count] = { verb = verb, once = once, what = what, who = who }
    local record, _, valid
    if verb == 'u' then
      record, _, valid = find_tracked(board, actor_history, now_ms, who, what)
    end
    local recorded, done_at = string.match(valid and record or '', '^done,(%d+),(%d+)')
    if recorded and recorded - done_at <= LATEST then oldest = math.min(oldest, done_at) end
  elseif tracked ~= '' then
    actions[count] = tracked
  end
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

-- The hour and day that hold an instant.
local function hour_and_day(at)
  if at >= same_from then return hour, day end
  local second = math.floor(at / 1000)
  return local_count(rows, 'hour', 3600, second), local_count(rows, 'day', DAY, second)
end
local hour_now, day_now = hour_and_day(now_ms)

-- 3. Ids. The batch's id stands for all its events; an event's own id stands for its first event in the batch.
local ids, event_of = {}, {}
for e = 1, count do
  local id = batch_id ~= '' and batch_id or ARGV[events + (e - 1) * event_fields + 3]
  if outcomes[e] == 'c' and id ~= '' then
    if event_of[id] then
      outcomes[e] = 'd'
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
        if outcomes[e] == 'c' then outcomes[e] = 'd' end
      end
    end
  end
end

-- The sequence number of the last event, where the order of ties is kept.
local last_sequence = indexes and indexes.ties and count > 0 and call('INCRBY', board .. ':sequence', count)

-- The sequence number that a member goes back to on a period's board when the tracked action is undone. When that action was
-- the member's last one, that is the number of the last one before it that stands. So it is as if the action had never been done.
-- `before` is the member's number until now.
local function sequence_without(tracked, unit, before)
  local earlier, bucket, ends_at = tracked.before[unit] or 0, bucket_of(now)
  local function undone_key(number) return board .. ':undone:' .. number end
  local number = bucket
  while earlier ~= 0 and number >= bucket_of(now - actor_history) do
    local again = call('HGET', undone_key(number), earlier .. unit)
    -- What was undone earlier may lead to what was undone later.
    number = again and bucket or number - 1
    earlier = tonumber(again or earlier)
  end
  local key = undone_key(bucket)
  call('HSET', key, tracked.sequence .. unit, earlier)
  keep_until(key, ends_at + actor_history, now)
  -- Also when the action made the member's sum zero, so that it left the board.
  return (before == tracked.sequence and earlier ~= 0 or before == 0) and earlier or before
end

-- Adds an event to a period's board and its indexes. Answers four things:
-- - whether that made the key
-- - whether the member was refused
-- - its sequence number; false when the base boards must be asked
-- - whether it is an undo of what did not count there
local function add_to_period(e, key, unit)
  local name, amount, tracked = members[e], deltas[e], tracked_actions[e]
  local undoes = tracked and tracked.verb == 'u'
  if tracked and tracked.units and not find(tracked.units, unit, 1, true) then return false, false, nil, true end
  if not indexes then
    local sum = call('ZINCRBY', key, texts[e], name)
    return check_sum(key, name, amount, tonumber(sum), undoes and math.huge or max_members, true)
  end
  if indexes['activity-log'] then
    local max_here = max_members + (call('HEXISTS', key .. ':actions', name))
    if call('HLEN', key .. ':actions') >= max_here then return false, true, false end
    return tally(key, name, actions[e], undoes and -1 or 1, amount, true), false, false
  end
  local sort_key = indexes.ties and call('ZSCORE', key .. ':' .. indexes.ties, name)
  local sum = tonumber(call('ZINCRBY', key, texts[e], name))
  local made, full = check_sum(key, name, amount, sum, undoes and math.huge or max_members, true)
  if full then return made, true, false end
  sum = round_decimals(sum)
  local old, sequence = round_decimals(sum - amount), last_sequence and last_sequence - count + e
  if indexes.ties then
    local before = sort_key and unpack_sequence(tonumber(sort_key), old, indexes.ties) or 0
    if undoes then
      sequence = sequence_without(tracked, unit, before)
    else
      if tracked then tracked.before[unit] = before end
      -- Events of one batch come by their periods, not in their order.
      sequence = math.max(sequence, before)
    end
  end
  update_indexes(indexes, key, { name }, { old }, { sum }, { sequence }, made)
  if indexes.actions and tally(key, name, actions[e], undoes and -1 or 1, amount, true) then made = true end
  return made, false, not undoes and sum ~= 0 and sequence
end

-- A decaying window in the record of a tracked action; with other parameters the same name is another window.
local function window_mark(window)
  window.mark = window.mark
    or window.name .. ':' .. sub(redis.sha1hex(format('%s %s %.17g %d', window.kind, window.unit, window.amount, window.at)), 1, 4)
  return window.mark
end

-- Counts some events, each into every window. An undo goes into those windows that counted its action.
local function count_all(list)
  -- Events whose instants lie in the same hour and day lie in the same periods and form a group.
  local groups, groups_by_name = {}, {}
  local function group_at(at)
    local group_hour, group_day = hour_now, day_now
    if at ~= now_ms then
      group_hour, group_day = hour_and_day(at)
    end
    local name = group_hour .. ':' .. group_day
    local group = groups_by_name[name]
    if not group then
      -- kept: how many of its periods are; counted: by unit, the events that its period took, and their sequence numbers.
      group = { hour = group_hour, day = group_day, events = {}, kept = 0, counted = {}, sequences = {} }
      group.is_now = group_hour == hour_now and group_day == day_now
      groups_by_name[name] = group
      groups[#groups + 1] = group
    end
    return group
  end
  local function number_in(group, unit) return period_number(unit, group.hour, group.day, week_starts_on) end

  -- 5. Every event into every period that is still kept.
  local group_of_event, refusals, all_kept = {}, {}, true
  local slow_path, recent = indexes or tracked_actions[list[1]], nil
  for i = 1, #list do
    local e = list[i]
    local group = instants[e] >= same_from and recent or group_at(instants[e])
    if instants[e] >= same_from then recent = group end
    group.events[#group.events + 1] = e
    group_of_event[e] = group
  end
  for g = 1, #groups do
    local group = groups[g]
    local in_group = group.events
    for i = 1, #units do
      local unit = sub(units, i, i)
      local number = number_in(group, unit)
      local expiry = not group.is_now and expires_at(unit, number, retention_of(i))
      if expiry and expiry <= now then
        all_kept = false
      else
        local key = period_key(board, unit, number)
        local made, refused, counted, sequences = false, 0, in_group, nil
        for n = 1, #in_group do
          local e = in_group[n]
          local full, passed = false, false
          if slow_path then
            local first, sequence
            first, full, sequence, passed = add_to_period(e, key, unit)
            made = made or first
            sequences = sequences or {}
            sequences[n] = sequence
            local tracked = tracked_actions[e]
            if tracked and tracked.took and not full then tracked.took = tracked.took .. unit end
          else
            local text = texts[e]
            local sum = call('ZINCRBY', key, text, members[e])
            -- Only a new member, a zero and a fraction need a second look.
            if sum == text or sum == '0' or #sum > 14 or not whole then
              local first
              first, full = check_sum(key, members[e], deltas[e], tonumber(sum), max_members, true)
              made = made or first
            end
          end
          if full or passed then
            if counted == in_group then counted = { unpack(in_group) } end
            counted[n] = false
          end
          if full then
            refused, refusals[e], all_kept = refused + 1, (refusals[e] or 0) + 1, false
          end
        end
        set_expiry_and_refusals(i, key, number, made, refused)
        group.kept, group.counted[i], group.sequences[i] = group.kept + 1, counted, sequences
      end
    end
  end

  -- 6. Rolling windows: what of each member's sums falls into the window.
  for w = 1, #rolling_windows do
    local window = rolling_windows[w]
    local current = period_number(window.unit, hour_now, day_now, week_starts_on)
    local rolled, sums, sequences, index_of, late = {}, {}, {}, {}, false
    for g = 1, #groups do
      local number, counted = number_in(groups[g], window.unit), groups[g].counted[window.index]
      late = late or counted and number < current
      for n = 1, counted and number > current - window.length and #counted or 0 do
        local e = counted[n]
        if e then
          local at = index_of[members[e]] or #rolled + 1
          local sequence = groups[g].sequences[window.index] and groups[g].sequences[window.index][n]
          if sums[at] and sequence then sequence = sequences[at] and math.max(sequences[at], sequence) end
          index_of[members[e]], rolled[at], sequences[at] = at, members[e], sequence or false
          sums[at] = round_decimals((sums[at] or 0) + deltas[e])
        end
      end
    end
    if #rolled > 0 then roll_window(window, current, rolled, sums, sequences) end
    -- Rankings of past periods were made without this.
    if late then call('HINCRBY', window_key(board, window.name, 'state'), 'late', 1) end
  end

  -- 7. Decaying windows: each event by its own time. `boards_of` an event are the boards on which it counts and what it is
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
      local at_now = window.kind == 'half-life' and now_ms or period_number(window.unit, hour_now, day_now, week_starts_on)
      boards_of = function(e)
        local at = window.kind == 'half-life' and instants[e] or number_in(group_of_event[e], window.unit)
        return (decay(at, at_now, life, span))
      end
      ends_at = function(number)
        if window.kind == 'half-life' then return math.ceil((number + 1) * span / 1000) end
        -- Steps of the zone's calendar: a month has at most 31 days, an hour at most 90 minutes.
        local longest = { h = 5400, d = 2 * DAY, w = 8 * DAY, m = 32 * DAY }
        return now + ((number + 1) * span - at_now) * longest[window.unit]
      end
    end
    for i = 1, #list do
      local e = list[i]
      local tracked, refused = tracked_actions[e], false
      local concerned = not (tracked and tracked.windows) or find(tracked.windows, ' ' .. window_mark(window) .. ' ', 1, true)
      for _, on in ipairs(concerned and boards_of(e) or {}) do
        local number, value = on[1], deltas[e] * on[2]
        if value ~= 0 then
          local key = window_key(board, window.name, number)
          local max_here = tracked and tracked.windows and math.huge or max_members
          local made, over = add(key, members[e], value, max_here, false)
          if indexes and indexes.actions and not over then
            local count_by = tracked and tracked.verb == 'u' and -1 or 1
            if tally(key, members[e], actions[e], count_by, value, false) then made = true end
          end
          -- A double holds later instants than Redis takes.
          if made then expire_board(indexes, key, math.min(math.ceil(ends_at(number)) + DAY, 2 ^ 40)) end
          if over then
            refused, full[e] = true, true
          else
            faded[e] = true
          end
        end
      end
      if tracked and tracked.took_windows and not refused then tracked.took_windows = tracked.took_windows .. window_mark(window) .. ' ' end
    end
  end

  for e, group in pairs(all_kept and units ~= '' and {} or group_of_event) do
    local refused = refusals[e] or 0
    if not faded[e] and refused == group.kept then outcomes[e] = (refused > 0 or full[e]) and 'r' or 'o' end
  end
end

-- 4. Tracked actions.

-- Who did it, with a visitor's fingerprint hashed with the salt of the day of the event. Beacons come at most a day late, so
-- the salt is deleted a day after its day.
local function whose(tracked, at)
  local fingerprint = string.match(tracked.who, '^visitor:(.*)$')
  if not fingerprint then return tracked.who end
  local _, of_day = hour_and_day(at)
  local key = format('%s:salt:%d', board, of_day)
  local salt = call('GET', key)
  if not salt then
    -- Of its own for each board and day, so that nobody can follow a visitor from one to the other.
    salt = redis.sha1hex(new_salt .. key)
    call('SET', key, salt)
    call('EXPIREAT', key, expires_at('d', of_day, DAY))
  end
  return 'visitor:' .. sub(redis.sha1hex(salt .. fingerprint), 1, 16)
end

-- The key that marks that an action counts no more in its period, and when the mark is forgotten. That is replay_window after
-- the period's end; of a visitor, together with its salt at the latest. Answers nil when no mark is needed: the action does not
-- count once, or the time of the mark is over.
local function mark_of(tracked, at, who)
  if tracked.once == '-' then return nil end
  local of_hour, of_day = hour_and_day(at)
  local number = period_number(tracked.once, of_hour, of_day, week_starts_on)
  local expiry = expires_at(tracked.once, number, replay_window)
  if sub(who, 1, 8) == 'visitor:' then expiry = math.min(expiry or math.huge, expires_at('d', of_day, DAY)) end
  if expiry and expiry <= now then return nil end
  return once_key(board, tracked.once, number, who), expiry
end

-- Both answer an outcome code.
local function do_tracked(e, tracked)
  local who = whose(tracked, instants[e])
  if tracked.verb == 'r' then
    local record, _, valid = find_tracked(board, actor_history, now_ms, who, tracked.what)
    if record and valid and sub(record, 1, 5) == 'done,' then return 's' end
  end
  local mark, expiry = mark_of(tracked, instants[e], who)
  if mark and call('HSETNX', mark, tracked.what, '') == 0 then return 's' end
  tracked.took, tracked.took_windows, tracked.before = '', ' ', {}
  count_all({ e })
  if outcomes[e] ~= 'c' then
    if mark then call('HDEL', mark, tracked.what) end
    return outcomes[e]
  end
  if mark and expiry then keep_until(mark, expiry, now) end
  if tracked.verb == 'r' then
    local bucket, ends_at = bucket_of(now)
    local key = tracked_key(board, bucket, who)
    -- Most units have the same one, so each is written once, after its units.
    local units_of, before = {}, {}
    for i = 1, #units do
      local unit = sub(units, i, i)
      local sequence = tracked.before[unit] or 0
      if sequence ~= 0 then units_of[sequence] = (units_of[sequence] or '') .. unit end
    end
    for earlier, of in pairs(units_of) do
      before[#before + 1] = of .. format('%d', earlier)
    end
    local record = format(
      'done,%d,%d,%.17g,%s,%s,%d,%s',
      now_ms,
      instants[e],
      deltas[e],
      tracked.took,
      tracked.took_windows,
      last_sequence and last_sequence - count + e or 0,
      table.concat(before)
    )
    call('HSET', key, tracked.what, record)
    keep_until(key, ends_at + 2 * actor_history, now)
  end
  return 'c'
end
local function undo_tracked(e, tracked)
  local record, key, valid = find_tracked(board, actor_history, now_ms, tracked.who, tracked.what)
  if not record then
    local ever = tracked.once == 'a' and call('HEXISTS', once_key(board, 'a', 0, tracked.who), tracked.what) == 1
    return ever and 'l' or 'n'
  end
  local state, recorded, at, counted, took, took_windows, sequence, before =
    string.match(record, '^(%a+),(%d+),?(%d*),?([^,]*),?(%a*),?([^,]*),?(%d*),?([^,]*)$')
  if state == 'undone' then return 'u' end
  if not valid or recorded - at > LATEST then return 'l' end
  tracked.units, tracked.windows, tracked.sequence, tracked.before = took, took_windows, tonumber(sequence), {}
  for of, earlier in string.gmatch(before, '(%a+)(%d+)') do
    for unit in string.gmatch(of, '%a') do
      tracked.before[unit] = tonumber(earlier)
    end
  end
  instants[e], deltas[e] = tonumber(at), -tonumber(counted)
  texts[e], whole = format('%.17g', deltas[e]), false
  count_all({ e })
  call('HSET', key, tracked.what, 'undone,' .. recorded)
  local mark = mark_of(tracked, instants[e], tracked.who)
  if mark then call('HDEL', mark, tracked.what) end
  return 'c'
end

local plain = {}
local function count_plain()
  if #plain > 0 then count_all(plain) end
  plain = {}
end
for e = 1, count do
  local tracked = tracked_actions[e]
  if outcomes[e] == 'c' then
    if tracked then
      count_plain()
      outcomes[e] = tracked.verb == 'u' and undo_tracked(e, tracked) or tracked.verb ~= 'u' and do_tracked(e, tracked)
    else
      plain[#plain + 1] = e
    end
  end
end
count_plain()
return { 'OK', now_ms, table.concat(outcomes) }
