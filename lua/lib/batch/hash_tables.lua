-- hash_tables: hashes as tables, likewise: see set_tables. A field that is not there is false.
local function hash_tables()
  local call = redis.call
  local known = {}

  local function hash_of(key)
    known[key] = known[key] or { key = key, wanted = {}, was = {}, values = {}, growth = 0 }
    return known[key]
  end
  local function want(hash, field)
    if hash.was[field] == nil then
      hash.was[field], hash.wanted[#hash.wanted + 1] = false, field
    end
  end
  local function load(hash)
    local wanted = hash.wanted
    if #wanted == 0 then return end
    local values = call('HMGET', hash.key, unpack(wanted))
    for i = 1, #wanted do
      hash.was[wanted[i]], hash.values[wanted[i]] = values[i], values[i]
    end
    hash.wanted = {}
  end
  local function get(hash, field)
    if hash.values[field] == nil then
      want(hash, field)
      load(hash)
    end
    return hash.values[field]
  end
  local function size(hash)
    hash.size = hash.size or call('HLEN', hash.key)
    return hash.size + hash.growth
  end
  local function put(hash, field, value)
    local old = get(hash, field)
    if not old and value then hash.growth = hash.growth + 1 end
    if old and not value then hash.growth = hash.growth - 1 end
    hash.values[field] = value
    hash.changed = hash.changed or {}
    hash.changed[field] = true
  end
  -- What store will write. Answers whether that makes the key, if it belongs to a board.
  local function plan(hash, is_board)
    hash.set, hash.del = {}, {}
    local is_new = false
    for field in pairs(hash.changed or {}) do
      local was, value = hash.was[field], hash.values[field]
      if value and value ~= was then
        is_new = is_new or not was
        hash.set[#hash.set + 1] = field
        hash.set[#hash.set + 1] = value
      elseif was and not value then
        hash.del[#hash.del + 1] = field
      end
    end
    hash.made = is_new and is_board and size(hash) - hash.growth == 0
    return hash.made
  end
  local function store(hash)
    -- A key that is emptied first would lose its expiry.
    if #hash.set > 0 then call('HSET', hash.key, unpack(hash.set)) end
    if #hash.del > 0 then call('HDEL', hash.key, unpack(hash.del)) end
  end

  return { of = hash_of, want = want, load = load, get = get, put = put, size = size, plan = plan, store = store, known = known }
end
