-- forget_lost: takes the periods of a unit from one to another out of those that have lost something, see note_lost.
local function forget_lost(board, unit, first, last)
  local call, state, field, left = redis.call, state_key(board), 'lost:' .. unit, {}
  for number in string.gmatch(call('HGET', state, field) or '', '%-?%d+') do
    if tonumber(number) < first or tonumber(number) > last then left[#left + 1] = number end
  end
  if #left == 0 then
    call('HDEL', state, field)
  else
    call('HSET', state, field, table.concat(left, ' '))
  end
end
