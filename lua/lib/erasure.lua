-- erasure: taking an actor out of boards and their indexes.
-- @use behind, clock, decay, erasure_tracked, upkeep_boards, upkeep_indexes, upkeep_members, upkeep_scan, upkeep_windows, windows, zones

-- assign_rolled: gives the members c.members their scores on the boards of a rolling window from now on anew, by its base periods. While it
-- is repaired, the repair does so; where it is not whole, upkeep does.
local function assign_rolled(c, stage)
  local call, members, stored = redis.call, c.members, c.clock.state['window:' .. stage.window]
  c.window, c.unit, c.length, c.current = stage.window, stage.unit, stage.length, stage.current
  if stored == 'repair ' .. c.current then
    call('SADD', touched_key(c.board, c.window), unpack(members))
    return
  end
  c.key, c.next_key = window_key(c.board, c.window, c.current), window_key(c.board, c.window, c.current + 1)
  local marked = call('ZSCORE', c.key, whole_mark(c.clock.generation))
  if not is_whole(c.board, c.clock, c.window, c.unit, c.length, c.current, marked) then return end
  local first = c.current - c.length + 1
  local sequences = keeps_order(c, c.key) and last_sequences(c, members, first, c.current)
  assign_scores(c, c.key, members, sums_of(c, members, first, c.current), sequences)
  -- One that is not there yet is made with its indexes, when it is prepared.
  if call('EXISTS', c.next_key) == 0 then return end
  prepare_members(c, members, keeps_order(c, c.next_key))
  expire_filled(c, c.next_key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on))
end

-- decaying_number: the number of the current board of a decaying window.
local function decaying_number(c, kind, unit, amount, second)
  local clock = c.clock
  if kind == 'linear' then return (linear_period(zone_rows(c.zone, second), unit, c.week_starts_on, clock.now)) end
  local life, span = life_and_span(kind, amount)
  local position = kind == 'step' and period_number(unit, clock, c.week_starts_on) or clock.now_ms
  local _, number = decay(position, position, life, span)
  return number
end

-- mark_dropped: notes that members left a board, where that is one of a period whose totals are handed on.
local function mark_dropped(c, key, names)
  for unit in string.gmatch(c.changed, '.') do
    local number = number_of_key(c.board, unit, key)
    if number then redis.call(unpack(mark_changed(c.board, unit, number, names))) end
  end
end

-- drop_members: removes the members c.members from a board, and from every index that was ever kept beside it. Notes in c whether any was
-- there, how many were, and some of them in c.seen. With c.is_dry it only counts them.
local function drop_members(c, key)
  local SEEN, call, members = 100, redis.call, c.members
  local scores, there, olds, news = call('ZMSCORE', key, unpack(members)), {}, {}, {}
  for i = 1, #members do
    if scores[i] then
      there[#there + 1], olds[#olds + 1], news[#news + 1] = members[i], tonumber(scores[i]), 0
      if #c.seen < SEEN and not c.seen[members[i]] then
        c.seen[members[i]], c.seen[#c.seen + 1] = true, members[i]
      end
    end
  end
  c.entries = c.entries + #there
  if c.is_dry then return end
  if #there > 0 then
    if c.is_dense then change_holders(c, key, olds, news) end
    call('ZREM', key, unpack(there))
    if c.changed ~= '' then mark_dropped(c, key, there) end
    c.is_changed = true
  end
  if c.archived ~= '' or c.clock.state.archived then note_dropped(c, key, scores) end
  forget_places(c, key, members)
  if c.policy then
    call('HDEL', metas_key(key), unpack(members))
    call('HDEL', instants_key(key), unpack(members))
  end
  if call('HDEL', actions_key(key), unpack(members)) > 0 then c.is_changed = true end
end

-- drop_rolled: gives the members c.members their scores on the boards of a rolling window anew: of what they got meanwhile. Older boards
-- are not kept.
local function drop_rolled(c, key, stage)
  if c.is_dry then return drop_members(c, key) end
  for near = stage.current - 2, stage.current + 1 do
    drop_members(c, window_key(c.board, stage.window, near))
  end
  assign_rolled(c, stage)
end

-- add_stages: adds stages to those of board_stages: of each unit its periods, the past rankings made of them and its rolling windows, at last the
-- decaying windows. A stage has the numbers of its boards, `first` down to `last`, `key_of` a number, and `drop`, which removes c.members from
-- one; c.drop and c.drop_rolled do something else with them, see alias. Periods that have a stage get no other one.
local function add_stages(c, stages, units, retention, rolling, decaying)
  local clock = c.clock
  c.staged = c.staged or {}
  local function current_of(unit) return period_number(unit, clock, c.week_starts_on) end
  local function add(first, last, key_of)
    stages[#stages + 1] = { first = first, last = last, key_of = key_of, drop = c.drop or drop_members }
    return stages[#stages]
  end
  for i = 1, #units do
    local unit = string.sub(units, i, i)
    local seasons = unit == 's' and season_numbers(clock.zone, math.huge)
    local current, kept = seasons and #seasons or current_of(unit), tonumber(string.sub(retention, i * 10 - 9, i * 10))
    local last = seasons and 1 or current - periods_back(unit, kept, current_of('y'))
    local periods = add(
      c.staged[unit] and c.staged[unit] - 1 or seasons and current or current + 1,
      last,
      function(number) return period_key(c.board, unit, seasons and seasons[number] or number) end
    )
    periods.of = not seasons and unit
    c.staged[unit] = last
    for window, length in string.gmatch(rolling, string.format('([^:%%s]+):%s:(%%d+)', unit)) do
      add(current, last, function(number) return past_key(c.board, window, number) end).is_past = true
      -- Dropping members from one drops them from all. Only looking needs each.
      local rolled = add(
        current + 1,
        (c.pattern or c.is_dry) and current - 2 or current + 1,
        function(number) return window_key(c.board, window, number) end
      )
      rolled.drop, rolled.window, rolled.unit, rolled.length, rolled.current =
        c.drop_rolled or drop_rolled, window, unit, tonumber(length), current
    end
  end
  for window, kind, unit, amount, second in string.gmatch(decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local number = decaying_number(c, kind, unit, tonumber(amount), tonumber(second))
    add(number + 1, number - 1, function(near) return window_key(c.board, window, near) end).is_fading = true
  end
end

-- other_counted: what other configurations count that the state tells of and this one does not, or keeps less long: units, retention and decaying
-- windows as the arguments list them, see note_others. In an order of its own, so that a place among their boards stays right.
local function other_counted(c)
  local state, own, kept, units, decaying = c.clock.state, {}, {}, {}, {}
  for i = 1, #c.units do
    own[string.sub(c.units, i, i)] = tonumber(string.sub(c.retention, i * 10 - 9, i * 10))
  end
  local function lasts(seconds) return seconds == 0 and math.huge or seconds end
  local function add_unit(unit, text)
    local seconds, known = lasts(tonumber(text)), kept[unit] or own[unit]
    if unit == 's' or known and lasts(known) >= seconds then return end
    if not kept[unit] then units[#units + 1] = unit end
    kept[unit] = tonumber(text)
  end
  local counted, retention = string.match(state.counts or '', '^(%a*)(%d*)')
  for i = 1, #counted do
    add_unit(string.sub(counted, i, i), string.sub(retention, i * 10 - 9, i * 10))
  end
  for unit, text in string.gmatch(' ' .. (state.others or ''), '%s(%a):(%d+)') do
    add_unit(unit, text)
  end
  local listed, seen = (state.counts or '') .. ' ' .. (state.others or ''), ' ' .. c.decaying .. ' '
  for word in string.gmatch(listed, '[^:%s]+:[%a-]+:[%a-]:[%d.e-]+:%d+') do
    if not string.find(seen, ' ' .. word .. ' ', 1, true) then
      decaying[#decaying + 1], seen = word, seen .. word .. ' '
    end
  end
  table.sort(units)
  table.sort(decaying)
  local text = ''
  for _, unit in ipairs(units) do
    text = text .. string.format('%010d', kept[unit])
  end
  return table.concat(units), text, table.concat(decaying, ' ')
end

-- board_stages: every board that a target may have, in the order in which members are removed from them: what this configuration counts, and
-- then what others do, see add_stages.
local function board_stages(c)
  local stages = {}
  add_stages(c, stages, c.units, c.retention, c.rolling, c.decaying)
  local units, retention, decaying = other_counted(c)
  add_stages(c, stages, units, retention, '', decaying)
  return stages
end

-- drop_matching: removes who matches c.pattern from a board and from its counts by action, from where the scan of them is on. Answers where
-- it is then; empty at the end.
--
-- The cursor of a scan means nothing to another process, so with one the scan begins anew.
local function drop_matching(c, key, stage, scan)
  local call, EACH, ABSENT = redis.call, 500, 2
  local command, cursor, run = string.match(scan, '^(%a+) (%d+) ?(%w*)$')
  if not command or cursor ~= '0' and run ~= run_id() then
    command, cursor = 'ZSCAN', '0'
  end
  if cursor == '0' and call('EXISTS', key, actions_key(key)) == 0 then
    c.remaining = c.remaining - ABSENT
    return ''
  end
  repeat
    local of = command == 'ZSCAN' and key or actions_key(key)
    local reply, members, has = call(command, of, cursor, 'MATCH', c.pattern, 'COUNT', EACH), {}, {}
    for i = 1, #reply[2], 2 do
      local member = reply[2][i]
      if not has[member] then
        has[member], members[#members + 1] = true, member
      end
    end
    if #members > 0 then
      c.members = members
      stage.drop(c, key, stage)
    end
    -- Looking at an entry costs a fifth of removing one; a rolling board asks all of its base boards.
    cursor, c.remaining = reply[1], c.remaining - EACH / 5 - #members * ((stage.length or 0) + 5)
    if cursor == '0' then
      if command == 'HSCAN' or c.is_dry then return '' end
      command = 'HSCAN'
    end
  until c.remaining <= 0
  return command .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end

-- drop_from_boards: removes c.members, or with c.pattern who matches it, from some more boards, while c.left lasts. Answers the place to
-- go on from, "stage number scan", see board_stages and drop_matching; nil when none is left.
local function drop_from_boards(c, place)
  local COST, stages = 10, board_stages(c)
  local at, number, scan = string.match(place, '^(%d+) ?(-?%d*) ?(.*)$')
  at, number = tonumber(at), tonumber(number)
  while stages[at] do
    local stage = stages[at]
    number = number or stage.first
    while number >= stage.last do
      if c.remaining <= 0 then return string.format('%d %d %s', at, number, scan) end
      if c.pattern then
        scan = drop_matching(c, stage.key_of(number), stage, scan)
      else
        stage.drop(c, stage.key_of(number), stage, number)
        c.remaining = c.remaining - COST
      end
      if scan == '' then number = number - 1 end
    end
    at, number = at + 1, nil
  end
  return nil
end

-- keep_others: keeps the clock of a call that changes base boards, see keep_clock. Rolling windows that were counted, and that the call's
-- configuration lacks, do not change with it, so they are made anew when they come back.
local function keep_others(board, clock, rolling)
  local changes = {}
  keep_clock(board, clock)
  for entry in string.gmatch(clock.state.counts or '', '%S+') do
    local name = string.match(entry, '^([^:]+):%a:%d+$')
    if name and not string.find(' ' .. rolling .. ' ', ' ' .. entry .. ' ', 1, true) then
      changes[#changes + 1], changes[#changes + 2] = 'window:' .. name, 'broken'
    end
  end
  if #changes > 0 then set_state(board, unpack(changes)) end
end
