-- stand_before: reads, before events are counted, what cannot be told afterwards of where their members stood on the window that c.stands asks
-- for: their places, where ranks are places, and the scores of who is curated.
local function stand_before(c, names)
  if c.stands.key then return end
  find_stand(c)
  local stands = c.stands
  local curated, scores = stands.curated, {}
  if curated.members[1] then scores = read_scores(stands.found, curated, names) end
  note_gaps(curated, stands.visible.lowest)
  stands.places = {}
  for member = 1, stands.visible.ranking == 'ordinal' and #names or 0 do
    stands.places[member] = place_standing(stands, curated, names[member], scores[member])
  end
end
