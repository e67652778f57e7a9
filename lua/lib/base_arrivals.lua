-- base_arrivals: for each member its latest arrival on any of `length` base boards, the last of which is `last`.
-- @include arrivals_of period_key scores_of
local function base_arrivals(board, unit, length, last, members, ties)
  local latest = {}
  for i = 1, #members do
    latest[i] = 0
  end
  for number = last - length + 1, last do
    local key = period_key(board, unit, number)
    local arrivals = arrivals_of(key, members, scores_of(key, members), ties)
    for i = 1, #members do
      latest[i] = math.max(latest[i], arrivals[i])
    end
  end
  return latest
end
