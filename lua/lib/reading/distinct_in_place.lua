-- distinct_in_place: the distinct score that is shown in a place behind the pinned members, counted from 1; nil when there is none.
local function distinct_in_place(found, curated, index, place)
  local lone = lone_scores(found, curated)
  local is_lone = {}
  for i = 1, #lone do
    is_lone[lone[i]] = true
  end
  local window, left = read_order(index, place - 1, place - 1 + #lone, false), {}
  for i = 1, #window.scores do
    if not is_lone[window.scores[i]] then left[#left + 1] = window.scores[i] end
  end
  return window.scores[1] and left[gaps_above(lone, window.scores[1]) + 1]
end
