-- take_visitor_place: remembers a visitor whose action counted, see visitor_place, in tables.
local function take_visitor_place(place)
  if get_field(place.hash, place.who) then return end
  put_field(place.hash, place.who, '1')
  put_field(place.hash, place.address, string.format('%d', (get_field(place.hash, place.address) or 0) + 1))
  keep_until(place.hash, place.expiry, false)
end
