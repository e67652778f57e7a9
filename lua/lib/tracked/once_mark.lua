-- once_mark: the set in which it is marked that an action counts no more in its period, as a table, and its digest there. The set
-- expires once_kept after the period's end; that of a day's visitors with their salt at the latest. nil when no mark is needed: the
-- action is not to count once, or that time is over.
local function once_mark(c, tracked, at, who)
  if tracked.once == '-' then return nil end
  local time = local_time(c, at)
  local number = period_number(tracked.once, time, c.week_starts_on)
  local expiry, of_day = expires_at(c, tracked.once, number, c.once_kept), nil
  if string.sub(who, 1, 8) == 'visitor:' then
    expiry, of_day = math.min(expiry or math.huge, expires_at(c, 'd', time.day, 86400)), time.day
  end
  if expiry and expiry <= c.now then return nil end
  local key, digest = once_key(c.board, tracked.once, number, of_day), once_digest(who, tracked.what)
  local set = c.once_sets[key]
  if not set then
    set = { key = key, expiry = expiry, asked = {}, has = {}, was = {}, changed = {} }
    c.once_sets[key] = set
  end
  if set.has[digest] == nil then set.asked[#set.asked + 1] = digest end
  if c.is_once_loaded then load_once_set(c, set) end
  return set, digest
end
