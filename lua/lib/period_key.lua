-- period_key: the key of the sorted set that holds one period of a board.
local function period_key(board, unit, number)
  local infix = unit == 'h' and ':hour:'
    or unit == 'd' and ':day:'
    or unit == 'w' and ':week:'
    or unit == 'm' and ':month:'
    or unit == 'y' and ':year:'
    or ':all:'
  return board .. infix .. string.format('%d', number)
end
