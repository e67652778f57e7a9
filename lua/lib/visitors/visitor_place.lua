-- visitor_place: the place of a visitor among those of its address on a day: the hash of the day's visitors, the visitor's field there, and
-- those of the networks that the address is in, which count their visitors. nil for actors, and where any number may come. A visitor's own
-- address is not told by its field.
local function visitor_place(c, tracked, at)
  if c.visitors_per_address == 0 or string.sub(tracked.who, 1, 8) ~= 'visitor:' then return nil end
  local who, day, salt = name_visitor(c, tracked, at)
  local hash, networks = hash_of(c, visitors_key(c.board, day)), network_names(salt, tracked.who)
  want_field(hash, who)
  for _, network in ipairs(networks) do
    want_field(hash, network)
  end
  return { hash = hash, who = who, networks = networks, day = day }
end
