-- zone_rows: reads a zone argument, "until from:offset from:offset …" (seconds, ascending from). Answers its rows and the end of
-- its span. A row is { from, hour, day }: what to add to an instant from then on before counting hours or days.
-- The span begins at the first row's from. Nothing is known of the zone outside the span.
local function zone_rows(zone, day_starts_at)
  local rows = {}
  for from, offset in string.gmatch(zone, ' (-?%d+):(-?%d+)') do
    rows[#rows + 1] = { from = tonumber(from), hour = offset % 3600, day = offset - day_starts_at }
  end
  return rows, tonumber(string.match(zone, '^-?%d+'))
end
