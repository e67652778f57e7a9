-- stand_before: reads, before their board is written, what cannot be told afterwards of where members stood on the window that c.stands asks for:
-- their places, where ranks are places. The scores of who is curated, and theirs where they tell places or nothing changes them, were read with
-- the board as a rule, see read_stand. `is_added` says that the only event is added to the board unread: then these scores are found later.
local function stand_before(c, names, is_added)
  local stands, curated = c.stands, c.stands.curated
  if stands.places then return end
  stands.places, stands.is_added = {}, is_added and curated.members[1] and not stands.is_read
  if curated.members[1] and not (stands.is_read or is_added) then read_stand(c, names) end
  if not stands.is_added then note_gaps(curated, stands.visible.lowest) end
  for member = 1, stands.visible.ranking == 'ordinal' and #names or 0 do
    local place = stands.is_added and place_added or place_standing
    stands.places[member] = place(stands, curated, names[member], stands.scores[names[member]])
  end
end
