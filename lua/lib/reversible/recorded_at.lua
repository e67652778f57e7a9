-- recorded_at: the instant (milliseconds) at which an entry is recorded: now, but behind the last removal of its member, and behind what was recorded
-- of the same action since that. Where the clock went back a little since, or does so later, their order is still known by their instants. See
-- moved_until.
local function recorded_at(c, entry, who)
  local tracked, moved_at = entry.tracked, c.moved_at and c.moved_at[entry.member]
  if not moved_at then return c.now_ms end
  if not tracked.recorded_at then
    local record = tracked.verb == 'r' and find_tracked(c, who, tracked.what, 1)
    local before = tonumber(record and string.match(record, '^%a+,(%d+)') or 0)
    tracked.recorded_at = math.max(c.now_ms, moved_at + 1, before > moved_at and before + 1 or 0)
  end
  return tracked.recorded_at
end
