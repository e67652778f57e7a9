-- once_mark: where it is marked that an action counts no more in its period, and when that mark is forgotten. That is
-- once_kept after the period's end; a visitor's mark is forgotten with its salt at the latest. nil when no mark is needed:
-- the action is not to count once, or that time is over.
local function once_mark(c, tracked, at, who)
  if tracked.once == '-' then return nil end
  local hour, day = c.hour_and_day(at)
  local number = period_number(tracked.once, hour, day, c.week_starts_on)
  local expiry = c.expires_at(tracked.once, number, c.once_kept)
  if string.sub(who, 1, 8) == 'visitor:' then expiry = math.min(expiry or math.huge, c.expires_at('d', day, 86400)) end
  if expiry and expiry <= c.now then return nil end
  return c.hashes.of(once_key(c.board, tracked.once, number, who)), expiry
end
