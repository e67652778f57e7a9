-- erasure: taking an actor out of boards and their indexes.
-- @use behind, clock, decay, erasure_tracked, upkeep_boards, upkeep_indexes, upkeep_members, upkeep_scan, upkeep_windows, windows, zones

-- assign_rolled: gives the members context.members their scores on the boards of a rolling window from now on anew, by its base periods. While it
-- is repaired, the repair does so; where it is not whole, upkeep does.
local function assign_rolled(context, stage)
  local call, members, stored = redis.call, context.members, context.clock.state['window:' .. stage.window]
  context.window, context.unit, context.length, context.current = stage.window, stage.unit, stage.length, stage.current
  if stored == 'repair ' .. context.current then
    call('SADD', touched_key(context.board, context.window), unpack(members))
    return
  end
  context.key, context.next_key =
    window_key(context.board, context.window, context.current), window_key(context.board, context.window, context.current + 1)
  local marked = call('ZSCORE', context.key, whole_mark(context.clock.generation))
  if not is_whole(context.board, context.clock, context.window, context.unit, context.length, context.current, marked) then return end
  local first = context.current - context.length + 1
  local sequences = keeps_order(context, context.key) and last_sequences(context, members, first, context.current)
  assign_scores(context, context.key, members, sums_of(context, members, first, context.current), sequences)
  -- One that is not there yet is made with its indexes, when it is prepared.
  if call('EXISTS', context.next_key) == 0 then return end
  prepare_members(context, members, keeps_order(context, context.next_key))
  expire_filled(context, context.next_key, rolling_expiry(context.clock.rows, context.unit, context.current + 1, context.week_starts_on))
end

-- decaying_number: the number of the current board of a decaying window.
local function decaying_number(context, kind, unit, amount, second)
  local clock = context.clock
  if kind == 'linear' then return (linear_period(zone_rows(context.zone, second), unit, context.week_starts_on, clock.now)) end
  local life, span = life_and_span(kind, amount)
  local position = kind == 'step' and period_number(unit, clock, context.week_starts_on) or clock.now_ms
  local _, number = decay(position, position, life, span)
  return number
end

-- mark_dropped: notes that members left a board or changed on it, where that is one of a period whose totals are handed on.
local function mark_dropped(context, key, names)
  for unit in string.gmatch(context.changed, '.') do
    local number = number_of_key(context.board, unit, key)
    if number then redis.call(unpack(mark_changed(context.board, unit, number, names))) end
  end
end

-- drop_members: removes the members context.members from a board, and from every index that was ever kept beside it. Notes in `context` whether any was
-- there, how many were, and some of them in context.seen. With context.is_dry it only counts them.
local function drop_members(context, key)
  local SEEN, call, members = 100, redis.call, context.members
  local scores, there, olds, news = call('ZMSCORE', key, unpack(members)), {}, {}, {}
  -- Whose sum is zero has counts by action alone.
  local tallies, noted = context.changed ~= '' and call('HMGET', actions_key(key), unpack(members)) or {}, {}
  for i = 1, #members do
    if scores[i] or tallies[i] then noted[#noted + 1] = members[i] end
    if scores[i] then
      there[#there + 1], olds[#olds + 1], news[#news + 1] = members[i], tonumber(scores[i]), 0
      if #context.seen < SEEN and not context.seen[members[i]] then
        context.seen[members[i]], context.seen[#context.seen + 1] = true, members[i]
      end
    end
  end
  context.entries = context.entries + #there
  if context.is_dry then return end
  if #there > 0 then
    if context.is_dense then change_holders(context, key, olds, news) end
    call('ZREM', key, unpack(there))
    context.is_changed = true
  end
  if context.archived ~= '' or context.clock.state.archived then note_dropped(context, key, scores) end
  forget_places(context, key, members)
  if context.policy then
    call('HDEL', metas_key(key), unpack(members))
    call('HDEL', instants_key(key), unpack(members))
  end
  if call('HDEL', actions_key(key), unpack(members)) > 0 then context.is_changed = true end
  if #noted > 0 then mark_dropped(context, key, noted) end
end

-- drop_rolled: gives the members context.members their scores on the boards of a rolling window anew: of what they got meanwhile. Older boards
-- are not kept.
local function drop_rolled(context, key, stage)
  if context.is_dry then return drop_members(context, key) end
  for near = stage.current - 2, stage.current + 1 do
    drop_members(context, window_key(context.board, stage.window, near))
  end
  assign_rolled(context, stage)
end

-- add_stages: adds stages to those of board_stages: of each unit its periods, the past rankings made of them and its rolling windows, at last the
-- decaying windows. A stage has the numbers of its boards, `first` down to `last`, `key_of` a number, and `drop`, which removes context.members from
-- one; context.drop and context.drop_rolled do something else with them, see alias. Periods that have a stage get no other one.
local function add_stages(context, stages, units, retention, rolling, decaying)
  local clock = context.clock
  context.staged = context.staged or {}
  local function current_of(unit) return period_number(unit, clock, context.week_starts_on) end
  local function add(first, last, key_of)
    stages[#stages + 1] = { first = first, last = last, key_of = key_of, drop = context.drop or drop_members }
    return stages[#stages]
  end
  for i = 1, #units do
    local unit = string.sub(units, i, i)
    local seasons = unit == 's' and season_numbers(clock.zone, math.huge)
    local current, kept = seasons and #seasons or current_of(unit), tonumber(string.sub(retention, i * 10 - 9, i * 10))
    local last = seasons and 1 or current - periods_back(unit, kept, current_of('y'))
    local periods = add(
      context.staged[unit] and context.staged[unit] - 1 or seasons and current or current + 1,
      last,
      function(number) return period_key(context.board, unit, seasons and seasons[number] or number) end
    )
    periods.of = not seasons and unit
    context.staged[unit] = last
    for window, length in string.gmatch(rolling, string.format('([^:%%s]+):%s:(%%d+)', unit)) do
      add(current, last, function(number) return past_key(context.board, window, number) end).is_past = true
      -- Dropping members from one drops them from all. Only looking needs each.
      local rolled = add(
        current + 1,
        (context.pattern or context.is_dry) and current - 2 or current + 1,
        function(number) return window_key(context.board, window, number) end
      )
      rolled.drop, rolled.window, rolled.unit, rolled.length, rolled.current =
        context.drop_rolled or drop_rolled, window, unit, tonumber(length), current
    end
  end
  for window, kind, unit, amount, second in string.gmatch(decaying, '([^:%s]+):([%a-]+):([%a-]):([%d.e-]+):(%d+)') do
    local number = decaying_number(context, kind, unit, tonumber(amount), tonumber(second))
    add(number + 1, number - 1, function(near) return window_key(context.board, window, near) end).is_fading = true
  end
end

-- other_counted: what other configurations count that the state tells of and this one does not, or keeps less long: units, retention and decaying
-- windows as the arguments list them, see note_others. In an order of its own, so that a place among their boards stays right.
local function other_counted(context)
  local state, own, kept, units, decaying = context.clock.state, {}, {}, {}, {}
  for i = 1, #context.units do
    own[string.sub(context.units, i, i)] = tonumber(string.sub(context.retention, i * 10 - 9, i * 10))
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
  local listed, seen = (state.counts or '') .. ' ' .. (state.others or ''), ' ' .. context.decaying .. ' '
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
local function board_stages(context)
  local stages = {}
  add_stages(context, stages, context.units, context.retention, context.rolling, context.decaying)
  local units, retention, decaying = other_counted(context)
  add_stages(context, stages, units, retention, '', decaying)
  return stages
end

-- drop_matching: removes who matches context.pattern from a board and from its counts by action, from where the scan of them is on. Answers where
-- it is then; empty at the end.
--
-- The cursor of a scan means nothing to another process, so with one the scan begins anew.
local function drop_matching(context, key, stage, scan)
  local call, EACH, ABSENT = redis.call, 500, 2
  local command, cursor, run = string.match(scan, '^(%a+) (%d+) ?(%w*)$')
  if not command or cursor ~= '0' and run ~= run_id() then
    command, cursor = 'ZSCAN', '0'
  end
  if cursor == '0' and call('EXISTS', key, actions_key(key)) == 0 then
    context.remaining = context.remaining - ABSENT
    return ''
  end
  repeat
    local of = command == 'ZSCAN' and key or actions_key(key)
    local reply, members, has = call(command, of, cursor, 'MATCH', context.pattern, 'COUNT', EACH), {}, {}
    for i = 1, #reply[2], 2 do
      local member = reply[2][i]
      if not has[member] then
        has[member], members[#members + 1] = true, member
      end
    end
    if #members > 0 then
      context.members = members
      stage.drop(context, key, stage)
    end
    -- Looking at an entry costs a fifth of removing one; a rolling board asks all of its base boards.
    cursor, context.remaining = reply[1], context.remaining - EACH / 5 - #members * ((stage.length or 0) + 5)
    if cursor == '0' then
      if command == 'HSCAN' or context.is_dry then return '' end
      command = 'HSCAN'
    end
  until context.remaining <= 0
  return command .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end

-- drop_from_boards: removes context.members, or with context.pattern who matches it, from some more boards, while context.remaining lasts. Answers the place to
-- go on from, "stage number scan", see board_stages and drop_matching; nil when none is left.
local function drop_from_boards(context, place)
  local COST, stages = 10, board_stages(context)
  local at, number, scan = string.match(place, '^(%d+) ?(-?%d*) ?(.*)$')
  at, number = tonumber(at), tonumber(number)
  while stages[at] do
    local stage = stages[at]
    number = number or stage.first
    while number >= stage.last do
      if context.remaining <= 0 then return string.format('%d %d %s', at, number, scan) end
      if context.pattern then
        scan = drop_matching(context, stage.key_of(number), stage, scan)
      else
        stage.drop(context, stage.key_of(number), stage, number)
        context.remaining = context.remaining - COST
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
