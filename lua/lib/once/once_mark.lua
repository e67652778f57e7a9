-- once_mark: the set in which it is marked that an action counts no more in its period, as a table, and its digest there. nil when no mark is
-- needed: the action is not to count once, or the time for which that is remembered is over.
local function once_mark(c, tracked, at, who)
  if tracked.once == '-' then return nil end
  local time = local_time(c, at)
  local unit, number = tracked.once, period_number(tracked.once, time, c.week_starts_on)
  local of_day = string.sub(who, 1, 8) == 'visitor:' and time.day or nil
  local key, digest = once_key(c.board, unit, number, of_day), once_digest(who, tracked.what)
  local set = c.once_sets[key]
  if not set then
    set = { key = key, unit = unit, number = number, of_day = of_day, asked = {}, has = {}, was = {}, changed = {} }
    -- What is remembered of the periods of now is.
    local expiry = at < c.same_from and once_expiry(c, set)
    if expiry and expiry <= c.now then return nil end
    c.once_sets[key] = set
  end
  if set.has[digest] == nil then set.asked[#set.asked + 1] = digest end
  if c.is_once_loaded then load_once_set(c, set) end
  return set, digest
end
