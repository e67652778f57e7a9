-- window_notes: what the state notes of rolling windows and of refused members.
-- @use limits, windows, zones

-- bump_past: the state's past rankings after a late event in a period of a unit: those whose span holds the period get a new version,
-- and so are not right any more. nil when there is none. An entry is "name:unit:length:number:version".
local function bump_past(text, unit, number)
  local changed = false
  local bumped = string.gsub(text or '', '([^%s:]+:(%a):(%d+):(%d+)):(%d+)', function(entry, of, length, last, version)
    local is_in_span = of == unit and number <= tonumber(last) and number > tonumber(last) - tonumber(length)
    changed = changed or is_in_span
    return is_in_span and string.format('%s:%d', entry, version + 1) or nil
  end)
  return changed and bumped or nil
end

-- past_version: the version (text) of a past ranking in the state's `past`; nil when it is neither kept nor being built. The
-- ranking is right when its board carries whole_mark(version).
local function past_version(text, window, unit, length, number)
  local entry = string.format(' %s:%s:%d:%d:', window, unit, length, number)
  local _, to = string.find(text or '', entry, 1, true)
  return to and string.match(text, '^%d+', to + 1)
end

-- note_late: notes the periods of the past that a batch changed and of which past rankings were made, also by another configuration: they
-- were made without it.
local function note_late(c)
  for _, period in ipairs(c.past and c.past ~= '' and c.period_list or {}) do
    if next(period.touched) and string.find(c.past, string.format(':%s:', period.unit), 1, true) then
      if period.number < period_number(period.unit, c, c.week_starts_on) then c.late[#c.late + 1] = period end
    end
  end
end

-- changed_members: the members of a rolling window whose base boards a batch changed, by how much, and their new sequence numbers;
-- false for one that the base boards must be asked for.
local function changed_members(c, window, current)
  local members, has, deltas, sequences = {}, {}, {}, {}
  for _, period in ipairs(c.period_list) do
    if period.unit == window.unit and next(period.touched) then
      for member, sequence in pairs(period.number > current - window.length and period.touched or {}) do
        if not has[member] then
          has[member], members[#members + 1], deltas[member], sequences[member] = true, member, 0, sequence
        elseif c.indexes.ties then
          sequences[member] = sequence and sequences[member] and math.max(sequence, sequences[member])
        end
        deltas[member] = deltas[member] + period.board.score[member] - period.board.was[member]
      end
    end
  end
  return members, deltas, sequences
end

-- count_refusals: counts the events of new members that a full board refused.
local function count_refusals(c, key, unit, number, times)
  local counter, expiry = refused_key(key), expires_at(c, unit, number)
  redis.call('INCRBY', counter, times)
  c.refusals = c.refusals or {}
  c.refusals[#c.refusals + 1] = counter
  if expiry then redis.call('EXPIREAT', counter, expiry) end
end

-- check_sum: finishes an addition of a whole number to a member of the board of a unit's period. Zeros are not kept, so a sum equal to what was
-- added means that the member is new. Answers 'made' when it is the first one of a new board, 'full' when the board had no room
-- and the member was removed again, else nil.
local function check_sum(c, key, unit, member, delta, sum)
  if sum ~= delta or delta == 0 then
    local rounded = round_decimals(sum)
    if rounded ~= sum then redis.call('ZADD', key, string.format('%.17g', rounded), member) end
    if rounded == 0 then redis.call('ZREM', key, member) end
    if rounded ~= delta or delta == 0 then return nil end
  end
  local members = redis.call('ZCOUNT', key, '(-inf', '+inf')
  if members > most_members(c, unit) then
    redis.call('ZREM', key, member)
    return 'full'
  end
  return members == 1 and not redis.call('ZSCORE', key, '\0') and 'made' or nil
end

-- list_base: a state's list of made base boards with one more: " 20771 20772 ".
local function list_base(list, number)
  if string.find(list, ' ' .. number .. ' ', 1, true) then return list end
  return (list == '' and ' ' or list) .. number .. ' '
end

-- forget_bases: a list of made base boards without those that no rolling window holds any more, in order.
local function forget_bases(c, unit, list)
  local longest, numbers = 0, {}
  for _, window in ipairs(c.windows) do
    if window.unit == unit then longest = math.max(longest, window.length) end
  end
  local current = period_number(unit, c, c.week_starts_on)
  for number in string.gmatch(list, '%d+') do
    number = tonumber(number)
    if number > current - longest - 1 then numbers[#numbers + 1] = number end
  end
  table.sort(numbers)
  return ' ' .. table.concat(numbers, ' ') .. ' '
end

-- want_touched: lets the store phase note the members that a batch wrote while a rolling window is being repaired; the repair does
-- not end before it has looked at them again. Where a base board is gone, the repair may have added what it held, and begins anew.
local function want_touched(c, window, current, members)
  if remakes_base(c, window) then
    c.broken[#c.broken + 1] = { window, current }
    return
  end
  local key, names = touched_key(c.board, window.name), {}
  for i = 1, #members do
    names[i] = c.batch.names[members[i]]
  end
  redis.call('SISMEMBER', key, '\0')
  c.touched[#c.touched + 1] = { key, names }
end

-- note_lost: notes which periods of a unit have lost what their boards held (a text with their numbers), in the state's lost:UNIT, for as long as such
-- periods are kept. An archive then has what Redis has not, see lua/archive.lua. No numbers only drop those that are kept no more. At most so many
-- are known, the latest ones.
local function note_lost(c, clock, unit, numbers)
  local MOST, call, state, field = 1000, redis.call, state_key(c.board), 'lost:' .. unit
  local index, current, has, lost = string.find(c.units, unit, 1, true), period_number(unit, clock, c.week_starts_on), {}, {}
  local kept = index and tonumber(string.sub(c.retention, index * 10 - 9, index * 10)) or 0
  local name, shortest = unit_of(unit)
  for number in string.gmatch(numbers, '%-?%d+') do
    call('HDEL', archive_key(c.board), string.format('whole:%s:%s', name, number))
  end
  local oldest = kept > 0 and current - math.ceil(kept / shortest) - 2 or -math.huge
  for number in string.gmatch((call('HGET', state, field) or '') .. ' ' .. numbers, '%-?%d+') do
    number = tonumber(number)
    if number >= oldest and not has[number] then
      has[number], lost[#lost + 1] = true, number
    end
  end
  table.sort(lost)
  local text = table.concat(lost, ' ', math.max(1, #lost - MOST + 1))
  if text == '' then
    call('HDEL', state, field)
  else
    set_state(c.board, field, text)
  end
end
