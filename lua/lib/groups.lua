-- groups: the periods of a batch, and what was reset or returned since.
-- @use behind, board_writes, boards, ids, indexes, limits, storing, visitors, window_notes, windows, zones

-- period_of: the period of a unit that holds a time, see period_number, as a table; see group_of. nil between two seasons.
local function period_of(c, unit, time)
  local number = period_number(unit, time, c.week_starts_on)
  if not number then return nil end
  local key = period_key(c.board, unit, number)
  local period = c.periods[key]
  if not period then
    local expiry = time ~= c and expires_at(c, unit, number)
    -- A board that is archived has its periods for so long after others cannot change them any more.
    if expiry and c.indexes.final then expiry = expiry - 30 * 86400 end
    period = { unit = unit, number = number, key = key, kept = not expiry or expiry > c.now, refused = 0, touched = {} }
    if period.kept and not c.indexes['activity-log'] then period.board = board_of(c, key) end
    c.periods[key], c.period_list[#c.period_list + 1] = period, period
  end
  return period
end

-- group_of: the periods of a target that hold an instant (milliseconds), and the members that count in them: instants of one hour, day,
-- grain and season share them. A period has its unit, number, key and board; it is `kept` while its board does not expire.
local function group_of(c, at)
  if at >= c.same_from and c.current_group then return c.current_group end
  local time = local_time(c, at)
  local season = c.season_until and season_at(c.zone, time.second) or ''
  local name = table.concat({ time.hour, time.day, c.finest and math.floor(time.second / c.finest) or '', season }, ':')
  local group = c.groups[name]
  if not group then
    group = { periods = {}, members = {}, has = {} }
    for unit in string.gmatch(c.units, '.') do
      group.periods[#group.periods + 1] = period_of(c, unit, time)
    end
    c.groups[name], c.group_list[#c.group_list + 1] = group, group
  end
  if at >= c.same_from then c.current_group = group end
  return group
end

-- gather_entries: what a batch counts, as a list of entries in the order of its events: a member, by its number and its name, a delta, an instant, the group of
-- its periods, and the number of its event. First stands what is brought over, see want_brought.
local function gather_entries(c)
  local batch, entries = c.batch, c.entries
  local function gather(e)
    local member, tracked = batch.members[e], batch.tracked[e]
    local at = batch.instants[e]
    local group = group_of(c, tracked and tracked.done_at or at)
    entries[#entries + 1] = {
      member = member,
      name = batch.names[member],
      delta = batch.deltas[e],
      at = at,
      group = group,
      action = batch.actions[e],
      times = batch.times[e] or 1,
      event = e,
      tracked = tracked,
    }
    if not group.has[member] then
      group.has[member], group.members[#group.members + 1] = true, member
    end
  end
  for e = batch.count + 1, batch.count + (batch.brought or 0) do
    gather(e)
  end
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then gather(e) end
  end
end

-- read_resets: the state's `resets`: the latest instant (milliseconds) of all, and then "d:20771:20777:1795176000123" and "hot=1795176000123", as a
-- list of { unit, first, last, at }: what happened until then counts no more in these periods. `windows` tells the same of decaying
-- windows by their names.
local function read_resets(text)
  local resets = { windows = {} }
  for unit, first, last, at in string.gmatch(text, ' (%a):(%d+):(%d+):(%d+)') do
    resets[#resets + 1] = { unit, tonumber(first), tonumber(last), tonumber(at) }
  end
  for name, at in string.gmatch(text, ' (%S+)=(%d+)') do
    resets.windows[name] = tonumber(at)
  end
  return resets
end

-- was_reset: whether a period of a unit, or without a number a decaying window, was reset after an instant (milliseconds).
local function was_reset(c, at, of, number)
  if at > c.reset_at then return false end
  c.reset_list = c.reset_list or read_resets(c.resets)
  if not number then return at <= (c.reset_list.windows[of] or -1) end
  for _, reset in ipairs(c.reset_list) do
    if reset[1] == of and at <= reset[4] and number >= reset[2] and number <= reset[3] then return true end
  end
  return false
end

-- break_returned: a rolling window that the state knows, but that was not counted until now, missed what was counted meanwhile. It is
-- unmarked, so that upkeep repairs it.
local function break_returned(c)
  for _, window in ipairs(c.windows) do
    local entry = string.format(' %s:%s:%d ', window.name, window.unit, window.length)
    if window.stored ~= '' and not window.is_fresh and not string.find((c.kept_counts or entry) .. ' ', entry, 1, true) then
      window.stored = 'broken'
      c.broken[#c.broken + 1] = { window, period_number(window.unit, c, c.week_starts_on) }
    end
  end
end

-- store_batch: the second half of count_batch: writes each changed key once, and gives new ones their expiry.
-- c.is_begun says that something is counted.
local function store_batch(c, remembered)
  local call = redis.call
  if #remembered > 0 then remember_ids(c, remembered) end
  store_salts(c)
  store_state(c)
  if c.newcomer_counts then store_newcomers(c) end
  for _, board in ipairs(c.board_list) do
    store_board(c, board)
    c.is_begun = true
    if board.is_changed and board.is_unmarked then finish_board(c, board) end
  end
  if c.changed ~= '' then mark_counted(c) end
  if c.behind then store_behind(c) end
  store_marks(c)
  for _, touched in ipairs(c.touched) do
    call('SADD', touched[1], unpack(touched[2]))
  end
  for _, broken in ipairs(c.broken) do
    break_window(c.board, c, broken[1].name, broken[2])
  end
  if c.indexes.entries then store_entries(c) end
  for _, period in ipairs(c.period_list) do
    if period.refused > 0 then count_refusals(c, period.key, period.unit, period.number, period.refused) end
  end
end

-- note_since: finds since when the units and decaying windows of a target are counted, where others are counted than its state says,
-- for keep_clock to write. `counts` is what is counted, with the rolling windows; `since` holds the instants in seconds,
-- "h=1795176000 hot:half-life:-:21600000:0=1795176000 …", and 0 where nobody knows. What a shorter retention dropped is not counted.
local function note_since(c)
  local counts = c.journal and c.counts .. ' journal' or c.counts
  if c.kept_counts == counts then return end
  break_returned(c)
  local known, entries = {}, {}
  local since = ''
  if c.kept_counts then
    since, c.others = unpack(redis.call('HMGET', state_key(c.board), 'since', 'others'), 1, 2)
    note_others(c)
  else
    break_others(c)
  end
  for name, at in string.gmatch(since or '', '(%S+)=(%d+)') do
    known[name] = tonumber(at)
  end
  local first = (c.kept_counts or is_unused(c)) and c.now or 0
  local units, retention = string.match(c.kept_counts or '', '^(%a*)(%d*)')
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local index, at = string.find(units, unit, 1, true), known[unit] or first
    local kept = tonumber(string.sub(c.retention, i * 10 - 9, i * 10))
    local was_kept = index and tonumber(string.sub(retention, index * 10 - 9, index * 10)) or 0
    if at > 0 and was_kept > 0 and (kept == 0 or kept > was_kept) then at = math.max(at, c.now - was_kept) end
    entries[i] = string.format('%s=%d', unit, at)
  end
  for name in string.gmatch(c.decaying, '%S+') do
    entries[#entries + 1] = string.format('%s=%d', name, known[name] or first)
  end
  c.new_counts, c.new_since = counts, table.concat(entries, ' ')
  -- A journal is kept from the first call on that keeps it, until one comes that does not.
  local goes_on = c.kept_journal and c.kept_journal ~= '' and string.find(c.kept_counts or '', ' journal$')
  c.kept_journal = c.journal and (goes_on and c.kept_journal or c.now .. ' 0') or c.kept_journal and ''
end
