-- count_event: counts an event into every window, in tables. Answers its outcome: c counted, r refused by every window that keeps its
-- periods, o too old for every window.
local function count_event(c, e)
  local tracked = c.batch.tracked[e]
  local kept, refused = 0, 0
  for _, period in ipairs(periods_at(c, c.batch.instants[e])) do
    if period.kept then
      kept = kept + 1
      local outcome = count_in_period(c, e, period)
      if outcome == 'counted' and not period.is_changed then
        period.is_changed, c.changed[#c.changed + 1] = true, period
      end
      if outcome == 'refused' then
        refused, period.refused = refused + 1, period.refused + 1
      elseif tracked and tracked.took then
        tracked.took = tracked.took .. period.unit
      end
    end
  end
  local faded, full = count_decaying(c, e)
  if faded or refused < kept then return 'c' end
  return (refused > 0 or full) and 'r' or 'o'
end
