-- count_in_windows: counts an entry into every window, in tables. Answers its outcome: c counted, r refused by every window that keeps its
-- periods, o too old for every window, e of no season, b of before a reset of every window.
local function count_in_windows(c, entry)
  local kept, refused, is_before = count_periods(c, entry)
  local faded, full, faded_before = false, false, false
  if entry.fades then
    faded, full, faded_before = fade_entry(c, entry)
  end
  if faded or refused < kept then return 'c' end
  if (is_before or faded_before) and refused == 0 and not full then return 'b' end
  if c.season_until and not entry.group.periods[1] then return 'e' end
  return (refused > 0 or full) and 'r' or 'o'
end
