-- once: what counts once in a period.
-- @use limits, zones

-- load_once_set: reads the marks that are asked for. The set of what counts once for ever has no expiry, and so no more marks than a
-- period has members.
local function load_once_set(c, set)
  local asked = set.asked
  if not asked[1] then return end
  local found = redis.call('SMISMEMBER', set.key, '\0', unpack(asked))
  set.is_there = found[1] == 1
  for i = #asked, 1, -1 do
    local is_marked = found[i + 1] == 1
    set.has[asked[i]], set.was[asked[i]], asked[i] = is_marked, is_marked, nil
  end
  local is_for_ever = (set.unit == 'a' or c.once_kept == 0) and not set.of_day
  if is_for_ever and set.is_full == nil then set.is_full = redis.call('SCARD', set.key) > most_members(c, 'once') end
end

-- once_digest: what marks in the set of a period that somebody did something that counts once in it. It begins with who did it, so that
-- an erasure can find what an actor did.
local function once_digest(who, what) return string.sub(redis.sha1hex(who), 1, 16) .. what end

-- once_expiry: when a set of once_mark expires (seconds): once_kept after its period's end; that of a day's visitors with their salt at the latest. nil
-- for never.
local function once_expiry(c, set)
  local expiry = expires_at(c, set.unit, set.number, c.once_kept)
  return set.of_day and math.min(expiry or math.huge, expires_at(c, 'd', set.of_day, 86400)) or expiry
end

-- once_mark: the set in which it is marked that an action counts no more in its period, as a table, and its digest there. nil when no mark is
-- needed: the action is not to count once, or the time for which that is remembered is over.
local function once_mark(c, tracked, at, who)
  if tracked.once == '-' then return nil end
  local time = local_time(c, at)
  local unit, number = tracked.once, period_number(tracked.once, time, c.week_starts_on)
  local of_day = string.sub(who, 1, 8) == 'visitor:' and time.day or nil
  local key, digest = once_key(c.board, unit, number, of_day), once_digest(who, tracked.what)
  c.once_sets = c.once_sets or {}
  local set = c.once_sets[key]
  if not set then
    set = { key = key, unit = unit, number = number, of_day = of_day, asked = {}, has = {}, was = {} }
    -- What is remembered of the periods of now is.
    local expiry = at < c.same_from and once_expiry(c, set)
    if expiry and expiry <= c.now then return nil end
    c.once_sets[key] = set
  end
  if set.has[digest] == nil then set.asked[#set.asked + 1] = digest end
  if c.is_once_loaded then load_once_set(c, set) end
  return set, digest
end

-- store_once: writes the marks that changed, and gives a new set its expiry.
local function store_once(c, set)
  local come, dropped = {}, {}
  for digest, is_marked in pairs(set.has) do
    if is_marked ~= set.was[digest] then
      local list = is_marked and come or dropped
      list[#list + 1] = digest
    end
  end
  if #come > 0 and not set.is_there then come[#come + 1] = '\0' end
  if #come > 0 then redis.call('SADD', set.key, unpack(come)) end
  if #dropped > 0 then redis.call('SREM', set.key, unpack(dropped)) end
  local expiry = #come > 0 and not set.is_there and once_expiry(c, set)
  if expiry then redis.call('EXPIREAT', set.key, expiry) end
end

-- once_units: the letters of the units in whose periods something may count once.
local function once_units() return 'hdwmya' end
