-- record: counts a batch of events into every window of one board, on Redis's own clock.
--
-- 1. Read TIME and check the arguments. A single event of the current hour is counted at once, with one write per window.
-- 2. Find every event's instant; an event of the future is left out. If the zone's span does not reach far enough, answer 'SPAN' and
--    do nothing.
-- 3. Leave out what was seen before.
-- 4. Count the others in tables, one by one and in their order: read each key with one command, and write nothing. An action that
--    counts once is left out when it was done before. An undo takes its action away at that action's instant.
-- 5. Bring the rolling windows up to date, in tables.
-- 6. Write each changed key with one command. Give new ones their expiry.
--
-- @key board                     prefix of the board's keys, "eb:{site:board}"
-- @args target
-- @args stable_offset
-- @arg sender            text    who sends the batch: "browser" or "server". The ids of one mean nothing in the other
-- @arg replay_window     int     seconds for which ids of such senders are remembered at least
-- @arg once_kept         int     seconds for which what counts once is remembered after its period
-- @arg max_members       int     members a period may hold
-- @arg actor_history     int     seconds for which tracked actions can be undone
-- @arg new_salt          text    random text, for visitors of a day that has no salt yet; empty when no event has a visitor
-- @arg batch_id          text    id of the batch, or empty
-- @arg has_all           int     1: these are all the events that batch_id stands for; 0: a part of them
-- @args calendar
-- @each event                    an event
-- @field member          text    the member that it counts for
-- @field delta           number  what it is worth
-- @field when            text    empty (now), "1500" (milliseconds ago) or "@1700000000000" (Unix milliseconds)
-- @field id              text    what the event is known by besides batch_id: an id of its own, which does not begin with a slash;
--                                or "/" and its place in the batch, which stand behind batch_id; or empty
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

-- A single event of the current hour. Sums that need a second look, of new members and fractions, and rolling and decaying windows
-- wait until there are functions for them.
local ago = #ARGV == events + event_fields - 1 and (ARGV[events + 2] == '' and 0 or tonumber(ARGV[events + 2]))
local single = hour and options == '' and ago and ago >= 0 and now_ms - ago >= same_from and ARGV[events + 4] == ''
single = single and (batch_id == '' or ARGV[events + 3] == '')
local member, delta, unusual
if single then
  member, delta = ARGV[events], tonumber(ARGV[events + 1])
  if not delta or delta - delta ~= 0 then return redis.error_reply('ERR record: not a finite delta: ' .. ARGV[events + 1]) end
  local id = batch_id ~= '' and batch_id or ARGV[events + 3]
  if id ~= '' and remember(board .. ':seen:' .. sender, replay_window, now, { id })[1] then return { 'OK', now_ms, 'd' } end
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
  if not unusual and rolling == '' and decaying == '' then return { 'OK', now_ms, 'c' } end
end

-- The zone's rows: needed for new keys and late events only, so they are read late.
local rows = nil
local function the_rows()
  rows = rows or zone_rows(zone, day_starts_at)
  return rows
end
-- What the functions share.
local c = {
  board = board,
  units = {},
  retention = {},
  rolling = rolling_windows,
  decaying = {},
  indexes = read_indexes(options) or {},
  week_starts_on = week_starts_on,
  zone = zone,
  now = now,
  now_ms = now_ms,
  hour = hour,
  day = day,
  same_from = same_from,
  max_members = max_members,
  actor_history = actor_history,
  once_kept = once_kept,
  rows = the_rows,
}
-- When something of a period expires (seconds) that is kept for so long after its end; nil for never.
function c.expires_at(unit, number, kept)
  if kept == 0 then return nil end
  local _, ends_at = period_bounds(the_rows(), unit, number, week_starts_on)
  return ends_at and ends_at + kept
end
-- The hour and day that hold an instant (milliseconds).
function c.hour_and_day(at)
  if at >= same_from then return hour, day end
  local second = math.floor(at / 1000)
  return local_count(the_rows(), 'hour', 3600, second), local_count(the_rows(), 'day', DAY, second)
end
for i = 1, #units do
  c.units[i], c.retention[i] = sub(units, i, i), tonumber(sub(retention, i * 10 - 9, i * 10))
end
for name, kind, unit, amount, at in string.gmatch(decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
  local window = { name = name, kind = kind, unit = unit, amount = tonumber(amount), at = tonumber(at) }
  if not window.amount then return redis.error_reply('ERR record: ' .. name .. ' has no amount') end
  c.decaying[#c.decaying + 1] = window
end

if single then
  local refusals, refused, faded = 0, {}, false
  for u = 1, unusual and #unusual or 0 do
    local period = unusual[u]
    local made, full = check_sum(period.key, member, delta, period.sum, max_members, true)
    local expiry = (made or full) and c.expires_at(c.units[period.index], period.number, c.retention[period.index])
    if made and expiry then call('EXPIREAT', period.key, expiry) end
    if full then
      refusals, refused[period.index] = refusals + 1, true
      call('INCRBY', period.key .. ':refused', 1)
      if expiry then call('EXPIREAT', period.key .. ':refused', expiry) end
    end
  end
  for _, window in ipairs(rolling_windows) do
    if not refused[window.index] then
      local current = period_number(window.unit, hour, day, week_starts_on)
      local made_now, made_next = roll(board, window.name, window.unit, window.length, current, { member }, { delta })
      if made_now then expire_window(the_rows(), board, window.name, window.unit, current, week_starts_on) end
      if made_next then expire_window(the_rows(), board, window.name, window.unit, current + 1, week_starts_on) end
    end
  end
  for _, window in ipairs(c.decaying) do
    local boards_of, ends_at = decaying_boards(c, window)
    for _, on in ipairs(boards_of(now_ms - ago)) do
      local key, value = window_key(board, window.name, on[1]), delta * on[2]
      if value ~= 0 then
        local made, full = add(key, member, value, max_members, false)
        -- A double holds later instants than Redis takes.
        if made then call('EXPIREAT', key, math.min(math.ceil(ends_at(on[1])) + DAY, 2 ^ 40)) end
        faded = faded or not full
      end
    end
  end
  return { 'OK', now_ms, refusals == #units and not faded and 'r' or 'c' }
end

-- 2. Events and their instants.
local batch, wrong = parse_events(ARGV, events, event_fields, now_ms, new_salt)
if not batch then return wrong end
c.batch, c.new_salt = batch, new_salt
c.is_plain = not (c.indexes.ties or c.indexes.actions)
c.sets, c.hashes = set_tables(c.indexes.ties), hash_tables()
c.periods, c.all_periods, c.changed, c.salts, c.new_salts = {}, {}, {}, {}, {}
want_tracked(c)
local oldest = now_ms
for e = 1, batch.count do
  local tracked, at = batch.tracked[e], batch.instants[e]
  if at >= 0 then oldest = math.min(oldest, at) end
  if tracked and tracked.verb == 'u' then
    local record, _, valid = find_tracked(c, tracked.who, tracked.what, 2)
    local recorded, done_at = string.match(valid and record or '', '^done,(%d+),(%d+)')
    if recorded and recorded - done_at <= LATEST then
      batch.done_at[e] = tonumber(done_at)
      oldest = math.min(oldest, batch.done_at[e])
    end
  end
end
if oldest < same_from then
  local span_until
  rows, span_until = zone_rows(zone, day_starts_at)
  local from, till = math.floor(oldest / 1000) - REACH, now + REACH
  if from < rows[1].from or till > span_until then return { 'SPAN', now_ms, from, till } end
end
c.hour, c.day = c.hour_and_day(now_ms)

-- 3. Ids.
local remember_all = leave_out_known(board .. ':seen:' .. sender, replay_window, now, batch_id, has_all == 1, batch)

-- 4. Events, in tables.
for _, window in ipairs(c.decaying) do
  window.boards_of, window.ends_at = decaying_boards(c, window)
end
if c.indexes.ties and batch.count > 0 then c.first_sequence = tonumber(call('GET', board .. ':sequence') or 0) end
local keeps = {}
function c.keep(key, at) keeps[key] = math.max(keeps[key] or 0, at) end
want_events(c)
for e = 1, batch.count do
  if batch.outcomes[e] == 'c' then
    local tracked = batch.tracked[e]
    local count = tracked and (tracked.verb == 'u' and undo_tracked or do_tracked) or count_event
    batch.outcomes[e] = count(c, e)
  end
end

-- 5. and 6.
store_batch(c, remember_all, roll_windows(c))
for key, at in pairs(keeps) do
  keep_until(key, at, now)
end
return { 'OK', now_ms, table.concat(batch.outcomes) }
