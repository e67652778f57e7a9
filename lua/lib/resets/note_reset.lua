-- note_reset: the state's `resets` with what is reset now, c.reset_periods by unit { first, last } and c.reset_windows by name. An older reset
-- of a period that is reset again is forgotten, and one of a period that no configuration keeps any longer; those of
-- seasons stay.
local function note_reset(c, text)
  local entries, resets, now_ms = {}, read_resets(text or ''), c.clock.now_ms
  -- What came after the reset before is before this one, also where the clock went back a little, see parse_events.
  local latest = tonumber(string.match(text or '', '^%d+') or 0)
  if latest <= now_ms + STEP_BACK_MS then now_ms = math.max(now_ms, latest + 1) end
  local function add(unit, first, last, at) entries[#entries + 1] = string.format('%s:%d:%d:%d', unit, first, last, at) end
  for _, reset in ipairs(resets) do
    local unit, first, last, at = unpack(reset)
    local kept, own = unit == 's' and 0 or longest_kept(c, unit), c.reset_periods[unit]
    if own then last = math.min(last, own.first - 1) end
    local current = unit ~= 's' and period_number(unit, c.clock, c.week_starts_on)
    local oldest = current and kept and kept > 0 and current - periods_back(unit, kept, 0) or 0
    if kept and first <= last and last >= oldest then add(unit, first, last, at) end
  end
  for unit, own in pairs(c.reset_periods) do
    add(unit, own.first, own.last, now_ms)
  end
  for name in pairs(c.reset_windows) do
    resets.windows[name] = now_ms
  end
  for name, at in pairs(resets.windows) do
    entries[#entries + 1] = string.format('%s=%d', name, at)
  end
  table.sort(entries)
  return string.format('%d %s', now_ms, table.concat(entries, ' '))
end
