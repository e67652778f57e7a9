-- once_key: the key of the hash of what an actor or visitor did in a period that counts only once in it.
local function once_key(board, unit, number, who)
  local names = { h = 'hour', d = 'day', w = 'week', m = 'month', y = 'year', a = 'ever' }
  return string.format('%s:once:%s:%d:%s', board, names[unit], number, who)
end
