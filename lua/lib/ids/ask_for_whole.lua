-- ask_for_whole: of an event whose own id is "batch/place", lets the batch's id be asked for as well. Answers whether it is this very
-- batch, with an earlier event at that place.
local function ask_for_whole(c, id, e, asked, event_of)
  local batch, whole, place = c.batch, string.match(id, '^(.+)(/%d+)$')
  if not whole then return false end
  asked[#asked + 1], event_of[#asked + 1] = whole, e
  for earlier = 1, whole == c.batch_id and e - 1 or 0 do
    if batch.ids[earlier] == place and batch.outcomes[earlier] == 'c' then return true end
  end
  return false
end
