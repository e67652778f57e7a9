-- resets: what a reset takes, period by period.
-- @use once, zones

-- add_board: adds to context.dropped the keys of a board and of everything that is kept beside it. Answers how many members it has.
local function add_board(context, key)
  local dropped = context.dropped
  for _, beside in ipairs({
    key,
    actions_key(key),
    refused_key(key),
    metas_key(key),
    instants_key(key),
    behind_key(key),
    taken_key(behind_key(key)),
  }) do
    dropped[#dropped + 1] = beside
  end
  for generation = 0, tonumber(context.index_generation) do
    for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
      dropped[#dropped + 1] = index_key(key, index, string.format('%d', generation))
    end
  end
  return redis.call('ZCOUNT', key, '(-inf', '+inf')
end

-- add_once: adds to context.dropped what counts no more in the current periods. Visitors' marks end a day after their day.
local function add_once(context)
  local dropped, day = context.dropped, context.clock.day
  for unit in string.gmatch(once_units(), '%a') do
    local number = period_number(unit, context.clock, context.week_starts_on)
    dropped[#dropped + 1] = once_key(context.board, unit, number)
    for of_day = day - 1, day + 1 do
      dropped[#dropped + 1] = once_key(context.board, unit, number, of_day)
    end
  end
end

-- all_periods: the units with how many of their last periods a reset of all windows takes, of this configuration (`own`, "a:1 d:7") and of those
-- that the state tells of. Seasons have bounds that only their configuration knows.
local function all_periods(context, own)
  local state, counts, units = context.clock.state, {}, {}
  local function add(unit, count)
    if unit == 's' and not string.find(own, 's:', 1, true) then return end
    if not counts[unit] then units[#units + 1] = unit end
    counts[unit] = math.max(counts[unit] or 0, count)
  end
  for unit, count in string.gmatch(own, '(%a):(%d+)') do
    add(unit, tonumber(count))
  end
  local counted = state.counts or ''
  for unit in string.gmatch(string.match(counted, '^%a*'), '%a') do
    add(unit, 1)
  end
  for unit in string.gmatch(' ' .. (state.others or ''), ' (%a):%d') do
    add(unit, 1)
  end
  for unit, count in string.gmatch(counted, ' [^:%s]+:(%a):(%d+)') do
    add(unit, tonumber(count))
  end
  table.sort(units)
  for i, unit in ipairs(units) do
    units[i] = string.format('%s:%d', unit, counts[unit])
  end
  return table.concat(units, ' ')
end

-- longest_kept: for how long (seconds, 0 for ever) periods of a unit are kept, by this configuration or by another one that keeps them longer; nil
-- where none counts them.
local function longest_kept(context, unit)
  local other, own = string.find(context.other_units, unit, 1, true), string.find(context.units, unit, 1, true)
  local index = other or own
  return index and tonumber(string.sub(other and context.other_retention or context.retention, index * 10 - 9, index * 10))
end

-- mark_members: notes that all members of a period change, for who hands totals on: also those whose sum is zero, who have counts by action alone.
local function mark_members(context, unit, number)
  local EACH, key, from, cursor = 1000, period_key(context.board, unit, number), 0, '0'
  local function mark(members, step)
    local names = {}
    for i = 1, #members, step do
      if not is_mark(members[i]) then names[#names + 1] = members[i] end
    end
    if #names > 0 then redis.call(unpack(mark_changed(context.board, unit, number, names))) end
  end
  repeat
    local members = redis.call('ZRANGE', key, from, from + EACH - 1)
    mark(members, 1)
    from = from + EACH
  until #members < EACH
  repeat
    local found = redis.call('HSCAN', actions_key(key), cursor, 'COUNT', EACH)
    cursor = found[1]
    mark(found[2], 2)
  until cursor == '0'
end

-- reset_bounds: when a period that is reset begins and ends (seconds); nil for all time.
local function reset_bounds(context, unit, number)
  if unit == 's' then return season_bounds(context.zone, number) end
  return period_bounds(context.clock.rows, unit, number, context.week_starts_on)
end

-- add_periods: adds the last `count` periods of a unit to what is reset, and their fields to a reply; none between two seasons.
local function add_periods(context, reply, unit, count)
  local clock = context.clock
  local last = period_number(unit, clock, context.week_starts_on)
  if not last then return end
  local first, entries, periods = last - count + 1, 0, 0
  for number = first, last do
    local members = add_board(context, period_key(context.board, unit, number))
    if string.find(context.changed, unit, 1, true) then mark_members(context, unit, number) end
    entries, periods = entries + members, periods + (members > 0 and 1 or 0)
  end
  context.reset_periods[unit] = { first = first, last = last }
  local first_at, last_at = reset_bounds(context, unit, first), reset_bounds(context, unit, last)
  for _, field in ipairs({ unit, first, first_at or '', last, last_at or '', periods, entries }) do
    reply[#reply + 1] = field
  end
end

-- move_to_copy: moves the boards of the periods that are reset aside, with their orders of ties and counts by action, where their units are archived, and
-- notes for who archives when each begins and ends (seconds; 0 for all time). What is aside stays for 30 days. What archives are behind with was archived
-- before, or is aside: that is forgotten.
local function move_to_copy(context, archived)
  local KEPT_S = 30 * 86400
  local call, name = redis.call, string.format('reset:%d', context.clock.now_ms)
  local function move(key, copy)
    if call('EXISTS', key) == 0 then return false end
    call('RENAME', key, copy)
    call('EXPIRE', copy, KEPT_S)
    return true
  end
  for unit in string.gmatch(archived, '%a') do
    local span = context.reset_periods[unit] or { first = 1, last = 0 }
    for number = span.first, span.last do
      local key = period_key(context.board, unit, number)
      call('HDEL', archive_key(context.board), string.format('behind:%s:%d', unit_of(unit), number))
      local copy = copy_key(key, name)
      if move(key, copy) then
        move(actions_key(key), actions_key(copy))
        if context.ties then move(index_key(key, context.ties, context.index_generation), index_key(copy, context.ties, '0')) end
        local from, till = reset_bounds(context, unit, number)
        local note = string.format('reset:%s:%d:%d', unit, number, context.clock.now_ms)
        call('HSET', archive_key(context.board), note, string.format('%d %d', from or 0, till or 0))
      end
    end
  end
end
