-- visitors: names of visitors, their networks, and how many of one network count.
-- @use hashes, zones

-- most_of_network: how many may come from the i-th network that an address is in, where `most` may from the smallest: four times as many as
-- from the one before. So a /56 and a /48 of IPv6 count 4 and 16 times as many as a /64; of IPv4 there is the address alone.
local function most_of_network(most, i) return most * 4 ^ (i - 1) end

-- store_salts: writes the salts that name_visitor made. Each goes a day after its day.
local function store_salts(c)
  for key, salt in pairs(c.salts) do
    if salt.is_new then
      redis.call('SET', key, salt.text)
      redis.call('EXPIREAT', key, expires_at(c, 'd', salt.day, 86400))
    end
  end
end

-- take_visitor_place: remembers a visitor whose action counted, see visitor_place, in tables.
local function take_visitor_place(c, place)
  if get_field(place.hash, place.who) then return end
  put_field(place.hash, place.who, '1')
  for _, network in ipairs(place.networks) do
    put_field(place.hash, network, string.format('%d', (get_field(place.hash, network) or 0) + 1))
  end
  -- As long as the salt.
  if not get_field(place.hash, '\0') then keep_until(place.hash, expires_at(c, 'd', place.day, 86400)) end
end

-- visitor_name: what a digest of a visitor or a network is called on a day: a hash with the day's salt.
local function visitor_name(salt, digest) return string.sub(redis.sha1hex(salt .. digest), 1, 16) end

-- is_crowded: whether one of the networks that a visitor's address is in has as many visitors of the day as it may, see visitor_place.
local function is_crowded(c, place)
  for i, network in ipairs(place.networks) do
    if tonumber(get_field(place.hash, network) or 0) >= most_of_network(c.visitors_per_address, i) then return true end
  end
  return false
end

-- name_visitor: who did a tracked action. Visitors are named by a hash of their fingerprint with a random salt, which is deleted a day
-- after its day. Answers as well the salt's day and the salt, with its text and expiry; of actors nothing more.
local function name_visitor(c, tracked, at)
  local fingerprint = string.match(tracked.who, '^visitor:([^.]*)%.')
  if not fingerprint then return tracked.who end
  local day = local_time(c, at).day
  local key = salt_key(c.board, day)
  c.salts = c.salts or {}
  local salt = c.salts[key]
  if not salt then
    salt = { text = redis.call('GET', key), day = day }
    if not salt.text then
      -- Of its own for each board and day, so that nobody can follow a visitor from one to the other.
      salt.text, salt.is_new = redis.sha1hex(c.new_salt .. key), true
    end
    c.salts[key] = salt
  end
  return 'visitor:' .. visitor_name(salt.text, fingerprint), day, salt.text
end

-- network_names: what the networks of an address are called, see visitor_name, as a list, the smallest first. `digests` are theirs, each behind
-- a dot. The digests of networks of other sizes are others, so one mark is enough.
local function network_names(salt, digests)
  local names = {}
  for digest in string.gmatch(digests, '%.([^.]+)') do
    names[#names + 1] = '@' .. visitor_name(salt, digest)
  end
  return names
end

-- visitor_place: the place of a visitor among those of its address on a day: the hash of the day's visitors, the visitor's field there, and
-- those of the networks that the address is in, which count their visitors. nil for actors, and where any number may come. A visitor's own
-- address is not told by its field.
local function visitor_place(c, tracked, at)
  if c.visitors_per_address == 0 or string.sub(tracked.who, 1, 8) ~= 'visitor:' then return nil end
  local who, day, salt = name_visitor(c, tracked, at)
  local hash, networks = hash_of(c.hashes, visitors_key(c.board, day)), network_names(salt, tracked.who)
  want_field(hash, who)
  for _, network in ipairs(networks) do
    want_field(hash, network)
  end
  return { hash = hash, who = who, networks = networks, day = day }
end
