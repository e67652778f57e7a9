-- count_periods: counts an entry on the boards of its periods, in tables, an undo also on those of entry.unlisted. Answers how many take it,
-- how many refused it, and whether one was reset since.
local function count_periods(c, entry)
  local tracked, at, kept, refused, is_before = entry.tracked, c.batch.instants[entry.event], 0, 0, false
  local function count(period)
    if c.resets and was_reset(c, at, period.unit, period.number) then
      is_before = true
      return
    end
    kept = kept + 1
    if count_in_period(c, entry, period) == 'refused' then
      refused, period.refused = refused + 1, period.refused + 1
    elseif tracked and tracked.took then
      tracked.took = tracked.took .. period.unit
      if period.unit == 's' then tracked.took_windows = string.format('%ss=%d ', tracked.took_windows, period.number) end
    end
  end
  for _, period in ipairs(entry.group.periods) do
    if period.kept then count(period) end
  end
  for _, period in ipairs(entry.unlisted or {}) do
    count(period)
  end
  return kept, refused, is_before
end
