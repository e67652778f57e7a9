-- hashes: the hashes that a batch reads and writes.

-- want_field: lets load_hash read a field.
local function want_field(hash, field)
  local wanted = hash.wanted
  if hash.was[field] ~= nil then return end
  hash.was[field] = false
  if wanted then
    wanted[#wanted + 1] = field
  else
    hash.wanted = { field }
  end
end

-- hash_of: a hash as tables; `hashes` holds them by their keys, and in their order. A field that is not there is false. The field "\0" is read with the others: it says that the hash is there,
-- and until when. Where `field` is given, load_hash reads that as well.
local function hash_of(hashes, key, field)
  local hash = hashes[key]
  if not hash then
    -- Room for what is usual: tables grow by being copied.
    hash = {
      key = key,
      wanted = { '\0', field },
      was = { ['\0'] = false, [field or '\0'] = false },
      values = false,
      growth = 0,
      lives_until = false,
    }
    hashes[key], hashes[#hashes + 1] = hash, hash
  elseif field and hash.was[field] == nil then
    want_field(hash, field)
  end
  return hash
end

-- load_hash: reads the fields of a hash that are wanted, with one command.
local function load_hash(hash)
  local wanted = hash.wanted
  if not wanted then return end
  local was, found = hash.was, redis.call('HMGET', hash.key, unpack(wanted))
  for i = 1, #wanted do
    was[wanted[i]] = found[i]
  end
  hash.wanted = false
end

-- get_field: a field of a hash, as counted in tables.
local function get_field(hash, field)
  local values, value = hash.values, hash.was[field]
  if values and values[field] ~= nil then return values[field] end
  if value then return value end
  if value == nil then want_field(hash, field) end
  if not hash.wanted then return false end
  load_hash(hash)
  return hash.was[field]
end

-- set_field: sets a field of a hash that need not be read before, in tables.
local function set_field(hash, field, value)
  if hash.was[field] == nil then hash.was[field] = false end
  if hash.values then
    hash.values[field] = value
  else
    -- With room for its expiry.
    hash.values = { [field] = value, ['\0'] = field == '\0' and value or nil }
  end
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
  local stored = get_field(hash, '\0')
  local until_at = stored and read_number(stored)
  if until_at and until_at + 60 >= at then return end
  if hash.lives_until and hash.lives_until > at then at = hash.lives_until end
  hash.lives_until = at
  set_field(hash, '\0', text_of(at))
end
