-- recorded_windows: what the record of a tracked action, or the journal, tells of what counted it besides units: + where its counts by action
-- were kept, else -; then words, " hot:1f0c s=1795176000 o=d ": the decaying windows, the season, and the unit in which it counts once.
local function recorded_windows(c, tracked)
  local sign = c.indexes.actions and '+' or '-'
  return tracked.took_windows == ' ' and sign or sign .. tracked.took_windows
end
