-- note_places: the sequence numbers that a member had on the boards of its periods before an event that added `delta` to its scores, by its places in
-- the orders of ties. The record of a tracked action tells them.
local function note_places(c, count, scores, places, delta)
  local before, units = {}, c.units
  for i = 1, count do
    local place, old = tonumber(places[i] or nil), scores[i] - delta
    before[string.sub(units, i, i)] = place and old ~= 0 and unpack_sequence(place, old, c.indexes.ties) or 0
  end
  c.before_now = before
end
