-- listed_base: the board of a base period, as tables, when the state lists it as made; nil otherwise.
local function listed_base(c, window, number)
  if not string.find(window.made, ' ' .. number .. ' ', 1, true) then return nil end
  return board_of(c, period_key(c.board, window.unit, number))
end
