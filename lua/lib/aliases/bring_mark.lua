-- bring_mark: lets what an event's sender did once in a period count as done to what its item became, in tables.
local function bring_mark(c, tracked)
  if not tracked.at or tracked.once == '-' then return end
  local who = name_visitor(c, tracked, tracked.at)
  local function mark_of(what) return once_mark(c, { once = tracked.once, what = what }, tracked.at, who) end
  local set, digest = mark_of(tracked.what)
  if not (set and set.has[digest]) then return end
  local _, becomes = mark_of(tracked.becomes)
  put_once(set, digest, false)
  put_once(set, becomes, true)
end
