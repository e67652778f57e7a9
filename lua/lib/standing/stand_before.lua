-- stand_before: reads, before their board is written, what cannot be told afterwards of where members stood on the window that c.stands asks for:
-- their places, where ranks are places. The scores of who is curated, and theirs where they tell places or nothing changes them, were read with
-- the board as a rule, see read_stand.
local function stand_before(c, names)
  local stands = c.stands
  if stands.places then return end
  local curated = stands.curated
  if curated.members[1] and not stands.is_read then read_stand(c, names) end
  note_gaps(curated, stands.visible.lowest)
  stands.places = {}
  for member = 1, stands.visible.ranking == 'ordinal' and #names or 0 do
    stands.places[member] = place_standing(stands, curated, names[member], stands.scores[names[member]])
  end
end
