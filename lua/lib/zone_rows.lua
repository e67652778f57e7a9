-- zone_rows: the rows of a zone argument "until from:offset from:offset …" (seconds, ascending from), as a list of
-- { from, hour = what to add to an instant before counting hours, day = likewise for days }, and the span's end.
-- The span begins at the first row's from; nothing is known of the zone outside the span.
local function zone_rows(zone, day_starts_at)
  local rows = {}
  for from, offset in string.gmatch(zone, ' (-?%d+):(-?%d+)') do
    rows[#rows + 1] = { from = tonumber(from), hour = offset % 3600, day = offset - day_starts_at }
  end
  return rows, tonumber(string.match(zone, '^-?%d+'))
end
