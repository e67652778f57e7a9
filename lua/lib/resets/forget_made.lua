-- forget_made: takes the base boards that were reset out of the state's lists of those that were made, and of those that were lost.
local function forget_made(c)
  for unit, own in pairs(c.reset_periods) do
    local made, numbers = c.clock.state['made:' .. unit], {}
    for number in string.gmatch(made or '', '%d+') do
      if tonumber(number) < own.first or tonumber(number) > own.last then numbers[#numbers + 1] = number end
    end
    forget_lost(c.board, unit, own.first, own.last)
    if made then
      redis.call('HSET', state_key(c.board), 'made:' .. unit, #numbers == 0 and '' or ' ' .. table.concat(numbers, ' ') .. ' ')
    end
  end
end
