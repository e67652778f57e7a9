-- expires_at: when the board of a period expires (seconds): its retention after the period's end, or `kept` after; nil for never, and of a unit that this
-- call does not count: its board has its expiry.
local function expires_at(c, unit, number, kept)
  if not kept then
    local index = string.find(c.units, unit, 1, true)
    if not index then return nil end
    kept = tonumber(string.sub(c.retention, index * 10 - 9, index * 10))
  end
  if kept == 0 then return nil end
  if unit == 's' then
    local _, ends_at = season_bounds(c.zone, number)
    return ends_at and ends_at + kept
  end
  local _, ends_at = period_bounds(rows_of(c), unit, number, c.week_starts_on)
  return ends_at and ends_at + kept
end
