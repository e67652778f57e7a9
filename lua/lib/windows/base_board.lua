-- base_board: the board of a base period, as tables, when this batch counts on it or the state lists it as made; nil otherwise.
local function base_board(c, window, number)
  local period = c.periods[period_key(c.board, window.unit, number)]
  return period and period.board or listed_base(c, window, number)
end
