-- prepare: gives members their place on the next rolling board, next = now − the base period that leaves the window;
-- sums are their scores on the board of the current period. Answers whether that made the key.
-- @include assign period_key round_decimals scores_of window_key
local function prepare(board, window, unit, length, current, members, sums)
  local leaving = scores_of(period_key(board, unit, current - length + 1), members)
  local values = {}
  for i = 1, #members do values[i] = round_decimals(sums[i] - leaving[i]) end
  return assign(window_key(board, window, current + 1), members, values)
end
