-- adopt_bases: marks the base boards from one period to another that are there, and remembers those of them that were not known to
-- be made; who is gone is forgotten.
local function adopt_bases(c, first, last)
  local known, numbers = c.clock.state['made:' .. c.unit] or '', {}
  for number in string.gmatch(known, '%d+') do
    if tonumber(number) < first or tonumber(number) > last then numbers[#numbers + 1] = number end
  end
  for number = first, last do
    local key = period_key(c.board, c.unit, number)
    if redis.call('EXISTS', key) == 1 then
      redis.call('ZADD', key, '-inf', '\0')
      numbers[#numbers + 1] = string.format('%d', number)
    end
  end
  return #numbers == 0 and '' or ' ' .. table.concat(numbers, ' ') .. ' '
end
