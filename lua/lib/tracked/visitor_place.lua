-- visitor_place: the place of a visitor among those of its address on a day: the hash of the day's visitors, the visitor's field there, and
-- that of the address, which counts its visitors. nil for actors, and where any number may come. A visitor's own address is not told by
-- its field.
local function visitor_place(c, tracked, at)
  if c.visitors_per_address == 0 or string.sub(tracked.who, 1, 8) ~= 'visitor:' then return nil end
  local who, address, day, expiry = name_visitor(c, tracked, at)
  local hash = hash_of(c, visitors_key(c.board, day))
  address = '@' .. address
  want_field(hash, who)
  want_field(hash, address)
  return { hash = hash, who = who, address = address, expiry = expiry }
end
