-- find_hour: the local hour and day of a call's clock, where the zone's offset is stable, and its second: see read_state.
local function find_hour(c)
  local now, from, offset = c.now, c.stable_from, c.stable_offset
  c.same_from, c.second, c.finest = math.huge, now, select(3, unit_of(string.sub(c.units, 1, 1)))
  local season_from = -math.huge
  if string.find(c.units, 's', 1, true) then
    c.season, season_from, c.season_until = season_at(c.zone, now)
    c.is_between = not c.season
  end
  if now < from or now >= c.stable_until then return end
  local hour_time, day_time = now + offset % 3600, now + offset - c.day_starts_at
  local hour, day = (hour_time - hour_time % 3600) / 3600, (day_time - day_time % 86400) / 86400
  c.hour, c.day = hour, day
  c.same_from = (
    now - math.min(hour_time % 3600, day_time % 86400, now - from, now - season_from, c.finest and now % c.finest or math.huge)
  ) * 1000
  if c.resets then c.same_from = math.max(c.same_from, c.reset_at + 1) end
  local counts = c.units .. c.retention .. ' ' .. c.rolling .. ' ' .. c.decaying .. (c.journal and ' journal' or '')
  c.is_usual = c.layout and c.seen == hour .. ':' .. day .. (c.finest and ':' .. (now - now % 60) / 60 or '') and c.kept_counts == counts
end
