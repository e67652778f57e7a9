-- earliest_marked: when the first period of some marks starts (seconds); infinite where that is the one of all time.
local function earliest_marked(clock, unit, week_starts_on, marks)
  local earliest = math.huge
  for _, mark in ipairs(marks) do
    local starts_at = period_bounds(clock.rows, unit, tonumber(string.match(mark, '^%-?%d+')), week_starts_on)
    earliest = math.min(earliest, starts_at or math.huge)
  end
  return earliest
end
