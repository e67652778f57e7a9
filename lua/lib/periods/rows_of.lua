-- rows_of: the zone's rows, for a call that counts: needed for new keys and late events only, so they are read late.
local function rows_of(c)
  if not c.rows then
    c.rows, c.span_until = zone_rows(c.zone, c.day_starts_at)
  end
  return c.rows
end
