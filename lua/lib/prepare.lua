-- prepare: gives members their place on the next rolling board, next = now − the base period that leaves the window;
-- sums are their scores on the board of the current period. Answers whether that made the key.
-- @include arrivals_of assign base_arrivals period_key round_decimals scores_of window_key
local function prepare(board, window, unit, length, current, members, sums, options)
  local leaving_key = period_key(board, unit, current - length + 1)
  local leaving = scores_of(leaving_key, members)
  local values = {}
  for i = 1, #members do
    values[i] = round_decimals(sums[i] - leaving[i])
  end
  local arrivals
  if options and options.ties then
    arrivals = arrivals_of(window_key(board, window, current), members, sums, options.ties)
    local left = arrivals_of(leaving_key, members, leaving, options.ties)
    for i = 1, #members do
      -- Whose last arrival leaves, or who is on the board only without what leaves: rare, since the period that leaves is
      -- the oldest, and sums seldom fall.
      if values[i] ~= 0 and (sums[i] == 0 or arrivals[i] ~= 0 and arrivals[i] == left[i]) then
        arrivals[i] = base_arrivals(board, unit, length - 1, current, { members[i] }, options.ties)[1]
      end
    end
  end
  return assign(window_key(board, window, current + 1), members, values, options, arrivals)
end
