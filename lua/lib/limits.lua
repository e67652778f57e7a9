-- limits: bounds of new members and of announced items.
-- @use visitors

-- forget_newcomer: takes back that the sender of an event put a new member on the board, see may_join: it was refused all the same.
local function forget_newcomer(c, e)
  local counts = c.newcomer_counts
  for _, name in ipairs(counts.of[e] or {}) do
    counts.more[name] = counts.more[name] - 1
  end
end

-- is_unknown: whether an item was not announced, see announce.
local function is_unknown(c, member)
  local announced = redis.call('ZSCORE', known_key(c.board), member)
  return not (announced and tonumber(announced) > c.now - c.known_for)
end

-- leave_out_unknown: gives the events of items that were not announced the outcome x, see announce. Undos find what was counted.
local function leave_out_unknown(c)
  local batch = c.batch
  local announced = redis.call('ZMSCORE', known_key(c.board), unpack(batch.names))
  for e = 1, batch.count do
    local at, tracked = announced[batch.members[e]], batch.tracked[e]
    local is_known = at and tonumber(at) > c.now - c.known_for
    if batch.outcomes[e] == 'c' and not is_known and not (tracked and tracked.undoes) then batch.outcomes[e] = 'x' end
  end
end

-- most_members: how many members a board may hold: that of a unit's period, or of the decaying window ":name". The argument begins with the
-- greatest bound: "1000000 d=5000 :hot=200".
local function most_members(c, of)
  local bounds = c.max_members
  local most = read_number(bounds)
  if most then return most end
  local _, to = string.find(bounds, ' ' .. of .. '=', 1, true)
  return tonumber(string.match(bounds, '^%d+', to and to + 1 or 1))
end

-- unit_place: the place in c.units of a period's board, by its place in a call's plan: without indexes the longest period stands first there, see plan_boards.
local function unit_place(c, i) return (not c.options or c.options == '') and c.plan.units + 1 - i or i end

-- has_room: whether the i-th board of a call's plan was made and has room for one member more. Rolling windows have two, which are not bounded: the current
-- one, whose mark the plan knows of, and the next one.
local function has_room(c, i)
  local key, units = c.plan.keys[i], c.plan.units
  if i > units and (i - units) % 2 == 0 then return redis.call('ZSCORE', key, '\0') end
  local members = redis.call('ZCOUNT', key, '(-inf', '+inf')
  local unit = unit_place(c, i)
  return members > 0 and (i > units or members < most_members(c, string.sub(c.units, unit, unit)))
end

-- read_newcomers: how many new members the senders of a call's events put on its board within the hour, as a table: of each event the names
-- of its visitor and of the networks of its address, the smallest first, `was` by name as it is in Redis, and `more`, which are counted in
-- tables.
--
-- They are named by hashes of their digests with a random salt, which the state holds until the next hour begins: "until salt". The hash
-- that counts them ends with the hour. So nobody can be found by them, nor followed from hour to hour or from board to board.
local function read_newcomers(c)
  local counts = c.newcomer_counts
  if counts then return counts end
  local HOUR = 3600
  local visitor, address, new_salt, senders = string.match(c.newcomers, '^(%d+) (%d+) (%S+)(.*)$')
  local until_s, salt = string.match(c.kept_newcomers or c.stored[#c.stored] or '', '^(%d+) (%S+)$')
  counts = { visitor = tonumber(visitor), address = tonumber(address), of = {}, was = {}, more = {} }
  -- A clock that was set back must not keep a salt for longer.
  if not (until_s and c.now < tonumber(until_s) and tonumber(until_s) <= c.now + HOUR) then
    until_s, salt = c.now + HOUR, redis.sha1hex(new_salt .. c.board)
    c.newcomers_state = { 'newcomers', string.format('%d %s', until_s, salt) }
  end
  counts.until_s = until_s
  local names, e = {}, 0
  for times, who, networks in string.gmatch(senders, ' (%d+):([^.%s]*)(%S*)') do
    local sender = networks ~= '' and { visitor_name(salt, who), unpack(network_names(salt, networks)) } or nil
    for i = 1, tonumber(times) do
      counts.of[e + i] = sender
    end
    e = e + times
    for _, name in ipairs(sender or {}) do
      names[#names + 1] = name
    end
  end
  -- Names of a new salt are not there yet. They are looked up all the same, so that writing them cannot fail.
  local found = names[1] and redis.call('HMGET', newcomers_key(c.board), unpack(names)) or {}
  for i = 1, #names do
    counts.was[names[i]] = tonumber(found[i] or 0)
  end
  c.newcomer_counts = counts
  return counts
end

-- store_newcomers: writes who put how many new members on the board within the hour, with one command, and gives a new hash its end.
-- What the state holds of it is the caller's to write, see begun_hour.
local function store_newcomers(c)
  local counts, values, key = c.newcomer_counts, {}, newcomers_key(c.board)
  for name, more in pairs(counts.more) do
    if more > 0 then
      values[#values + 1], values[#values + 2] = name, counts.was[name] + more
    end
  end
  if #values == 0 then return end
  redis.call('HSET', key, unpack(values))
  if c.newcomers_state then redis.call('EXPIREAT', key, counts.until_s) end
end

-- begun_hour: what the state holds of an hour of new members, see read_newcomers, where this call begins one; else nothing. One that counts none
-- begins no hour: the hash would have no end.
local function begun_hour(c)
  for _, more in pairs(c.newcomers_state and c.newcomer_counts.more or {}) do
    if more > 0 then return c.newcomers_state end
  end
  return {}
end

-- may_join: whether the sender of an event may put a new member on the board, and counts it in tables. One that the worker knows nothing of
-- may.
local function may_join(c, e)
  local counts = read_newcomers(c)
  local sender, was, more = counts.of[e], counts.was, counts.more
  if not sender then return true end
  for i, name in ipairs(sender) do
    local most = i == 1 and counts.visitor or most_of_network(counts.address, i - 1)
    if most > 0 and was[name] + (more[name] or 0) >= most then return false end
  end
  for _, name in ipairs(sender) do
    more[name] = (more[name] or 0) + 1
  end
  return true
end

-- is_joining: whether an event of now, of a bounded sender, puts its member on a board: it is not on the longest period's. `old` is what it has on the
-- boards of the plan.
local function is_joining(c, old, newcomers) return newcomers ~= '' and not old[unit_place(c, c.plan.units)] end

-- joins_now: whether the sender of an event of now may put its member on the board, see may_join, by what the state holds of that hour. Then store_joined writes
-- it, which cannot fail.
local function joins_now(c, newcomers)
  c.now, c.newcomers = math.floor(c.now_ms / 1000), newcomers
  c.kept_newcomers = redis.call('HGET', state_key(c.board), 'newcomers') or ''
  return may_join(c, 1)
end

-- store_joined: writes that the sender of an event of now put a new member on the board, see joins_now.
local function store_joined(c)
  store_newcomers(c)
  local hour = begun_hour(c)
  if hour[1] then set_state(c.board, unpack(hour)) end
end
