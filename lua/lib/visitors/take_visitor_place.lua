-- take_visitor_place: remembers a visitor whose action counted, see visitor_place, in tables.
local function take_visitor_place(c, place)
  if get_field(place.hash, place.who) then return end
  put_field(place.hash, place.who, '1')
  for _, network in ipairs(place.networks) do
    put_field(place.hash, network, string.format('%d', (get_field(place.hash, network) or 0) + 1))
  end
  -- As long as the salt.
  if not get_field(place.hash, '\0') then keep_until(place.hash, expires_at(c, 'd', place.day, 86400), false) end
end
