-- period_key: the key of the sorted set that holds one period of a board.
local unit_infix = { h = ':hour:', d = ':day:', w = ':week:', m = ':month:', y = ':year:', a = ':all:' }
local function period_key(board, unit, number)
  return board .. unit_infix[unit] .. number
end
