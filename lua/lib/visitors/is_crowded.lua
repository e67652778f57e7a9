-- is_crowded: whether one of the networks that a visitor's address is in has as many visitors of the day as it may, see visitor_place.
local function is_crowded(c, place)
  for i, network in ipairs(place.networks) do
    if tonumber(get_field(place.hash, network) or 0) >= most_of_network(c.visitors_per_address, i) then return true end
  end
  return false
end
