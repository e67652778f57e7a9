-- shows_change: whether a batch changes what some window of its target shows: something counted, or was taken back, or more events were refused. An
-- activity log is not shown in windows.
local function shows_change(c)
  if c.indexes['activity-log'] then return false end
  if c.batch.took_back then return true end
  for _, outcome in ipairs(c.batch.outcomes) do
    if outcome == 'c' then return true end
  end
  for _, period in ipairs(c.period_list) do
    if period.refused > 0 then return true end
  end
  return false
end
