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
    call('HSET', state, field, text)
  end
end
