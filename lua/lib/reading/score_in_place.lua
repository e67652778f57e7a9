-- score_in_place: the score of who is shown in a place behind the pinned members, counted from 1; nil when nobody is. It reads as
-- many members as there are curated ones, and one.
local function score_in_place(found, curated, place)
  local window = read_order(found.key, place - 1, place - 1 + #curated.gaps, false)
  local first, left = window.scores[1], {}
  -- Of the curated members that stand equal to the first one, those that are not read stand before it.
  local before = first and gaps_above(curated.gaps, first) + #(curated.ties[first] or {})
  for i = 1, #window.members do
    if not curated.is_moved[window.members[i]] then
      left[#left + 1] = window.scores[i]
    elseif window.scores[i] == first then
      before = before - 1
    end
  end
  -- Where all are equal, the curated ones among them may also stand behind.
  if first and window.scores[#window.scores] == first and #window.members > #curated.gaps then return first end
  return first and left[before + 1]
end
