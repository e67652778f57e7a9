-- read_scan: how far the scan of a key is. A table of its fields, and `key`; `is_held` when another owner is at it. Who holds it
-- does so for 3 s after its last chunk, which is longer than a round trip takes; an instant in the future holds nothing.
local function read_scan(key, owner, now_ms)
  local HELD_MS = 3000
  local values = redis.call('HMGET', key, 'owner', 'at', 'task', 'of', 'step', 'stage', 'ahead', 'place', 'scanned', 'total')
  local at = tonumber(values[2] or 0)
  return {
    key = key,
    is_held = values[1] and values[1] ~= '' and values[1] ~= owner and now_ms >= at and now_ms - at < HELD_MS,
    at = at,
    task = values[3],
    of = values[4],
    step = values[5],
    stage = tonumber(values[6] or 0),
    ahead = tonumber(values[7] or 0),
    place = values[8] or '',
    scanned = tonumber(values[9] or 0),
    total = tonumber(values[10] or 0),
  }
end
