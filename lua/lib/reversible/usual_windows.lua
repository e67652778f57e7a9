-- usual_windows: the words behind others that a record tells of an action of now which every window took, see recorded_windows. c.full_fades are the decaying
-- windows that did not, by their names.
local function usual_windows(c, words)
  if string.find(c.units, 's', 1, true) then words = string.format('%ss=%d ', words, (season_at(c.zone, c.now))) end
  for _, window in ipairs(c.decaying ~= '' and decaying_windows(c) or {}) do
    if not (c.full_fades and c.full_fades[window.name]) then words = words .. window_mark(window) .. ' ' end
  end
  return words
end
