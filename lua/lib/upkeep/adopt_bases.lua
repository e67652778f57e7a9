-- adopt_bases: marks some of the base boards from where a repair is up to `last` that are there, remembers those of them that were not known
-- to be made, and counts what they hold, for the progress; who is gone is noted as lost. Answers whether all were looked at.
local function adopt_bases(c, scan, last)
  -- What a board costs, in entries: it is asked for its size, and given its mark.
  local EACH = 3
  local call, field, first = redis.call, 'made:' .. c.unit, scan.stage
  local behind, numbers = math.min(last + 1, first + math.max(1, math.floor(c.left / EACH))), {}
  note_gone(c, first, behind - 1, c.window)
  for number in string.gmatch(c.clock.state[field] or '', '%d+') do
    if tonumber(number) < first or tonumber(number) >= behind then numbers[#numbers + 1] = number end
  end
  for number = first, behind - 1 do
    local key = period_key(c.board, c.unit, number)
    local size = call('ZCARD', key)
    if size > 0 then
      -- One entry is the mark.
      local entries = size + call('ZADD', key, '-inf', '\0') - 1
      if number <= c.current then scan.total = scan.total + entries end
      numbers[#numbers + 1] = string.format('%d', number)
    end
  end
  call('HSET', state_key(c.board), field, #numbers == 0 and '' or ' ' .. table.concat(numbers, ' ') .. ' ')
  scan.stage, c.left = behind, c.left - (behind - first) * EACH
  return behind > last
end
