-- read_clock: what Redis's clock says: now (seconds), now_ms, the zone's rows and until when they reach, and the local hour and
-- day of now, see period_number. When the zone is not known around now, hour and day are missing; then it also answers the
-- reply that asks for more of the zone.
local function read_clock(zone, day_starts_at)
  -- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
  local REACH = 397 * 86400
  local time = redis.call('TIME')
  local now = tonumber(time[1])
  local rows, span_until = zone_rows(zone, day_starts_at)
  local clock = { now = now, now_ms = now * 1000 + math.floor(time[2] / 1000), rows = rows, span_until = span_until }
  if now - REACH < rows[1].from or now + REACH > span_until then return clock, { 'SPAN', clock.now_ms, now - REACH, now + REACH } end
  clock.hour, clock.day = local_count(rows, 'hour', 3600, now), local_count(rows, 'day', 86400, now)
  return clock
end
