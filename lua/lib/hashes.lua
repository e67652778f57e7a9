-- hashes: the hashes that a batch reads and writes.

-- hash_of: a hash as tables; c.hashes holds them by their keys, and in their order. A field that is not there is false. The field "\0" is read with the others: it says that the hash is there,
-- and until when.
local function hash_of(c, key)
  local hash = c.hashes[key]
  if not hash then
    hash = { key = key, wanted = { '\0' }, was = { ['\0'] = false }, values = {}, growth = 0 }
    c.hashes[key], c.hashes[#c.hashes + 1] = hash, hash
  end
  return hash
end

-- load_hash: reads the fields of a hash that are wanted, with one command.
local function load_hash(hash)
  local wanted = hash.wanted
  if not wanted[1] then return end
  local was, values, found = hash.was, hash.values, redis.call('HMGET', hash.key, unpack(wanted))
  for i = 1, #wanted do
    local field = wanted[i]
    was[field], wanted[i] = found[i], nil
    if values[field] == nil then values[field] = found[i] end
  end
end

-- want_field: lets load_hash read a field.
local function want_field(hash, field)
  if hash.was[field] == nil then
    hash.was[field], hash.wanted[#hash.wanted + 1] = false, field
  end
end

-- get_field: a field of a hash, as counted in tables.
local function get_field(hash, field)
  local value = hash.values[field]
  if value == nil then
    want_field(hash, field)
    load_hash(hash)
    value = hash.values[field]
  end
  return value
end

-- set_field: sets a field of a hash that need not be read before, in tables.
local function set_field(hash, field, value)
  if hash.was[field] == nil then hash.was[field] = false end
  hash.values[field] = value
  hash.changed = hash.changed or {}
  hash.changed[field] = true
end

-- put_field: sets a field of a hash, in tables; false removes it.
local function put_field(hash, field, value)
  local old = get_field(hash, field)
  if not old and value then hash.growth = hash.growth + 1 end
  if old and not value then hash.growth = hash.growth - 1 end
  set_field(hash, field, value)
end

-- keep_until: lets a hash live until an instant (seconds) or longer: its field "\0" says until when it does. Another configuration may
-- have given it less.
local function keep_until(hash, at)
  local until_at = tonumber(get_field(hash, '\0') or nil)
  if until_at and until_at + 60 >= at then return end
  hash.lives_until = math.max(hash.lives_until or 0, at)
  put_field(hash, '\0', text_of(hash.lives_until))
end
