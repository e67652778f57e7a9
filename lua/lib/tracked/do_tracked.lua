-- do_tracked: counts a tracked action, unless it was done before: its outcome is then s.
local function do_tracked(c, entry)
  local tracked, e = entry.tracked, entry.event
  local who = name_visitor(c, tracked, c.batch.instants[e])
  if tracked.verb == 'r' then
    local record, _, valid = find_tracked(c, who, tracked.what, 1)
    if record and valid and string.sub(record, 1, 5) == 'done,' then return 's' end
  end
  local set, digest = once_mark(c, tracked, c.batch.instants[e], who)
  if set and set.has[digest] then return 's' end
  if set and set.is_full then return 'r' end
  tracked.took, tracked.took_windows, tracked.before = '', ' ', {}
  local outcome = count_entry(c, entry)
  if outcome ~= 'c' then return outcome end
  if set then put_once(set, digest, true) end
  if tracked.verb == 'r' then remember_tracked(c, entry, who) end
  return 'c'
end
