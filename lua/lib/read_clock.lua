-- read_clock: what Redis's clock says: now (seconds), now_ms, and of the zone its rows around now, the local hour and day; see
-- period_number. Or nil, and the reply that asks for more of the zone.
-- @include local_count zone_rows
local function read_clock(zone, day_starts_at)
  -- A period ends at most 366 days after an instant that it holds, and no zone is ever set by as much as a month.
  local REACH = 397 * 86400
  local time = redis.call('TIME')
  local now = tonumber(time[1])
  local now_ms = now * 1000 + math.floor(time[2] / 1000)
  local rows, span_until = zone_rows(zone, day_starts_at)
  if now - REACH < rows[1].from or now + REACH > span_until then return nil, { 'SPAN', now_ms, now - REACH, now + REACH } end
  return {
    now = now, now_ms = now_ms, rows = rows,
    hour = local_count(rows, 'hour', 3600, now), day = local_count(rows, 'day', 86400, now),
  }
end
