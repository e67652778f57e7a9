-- longest_kept: for how long (seconds, 0 for ever) periods of a unit are kept, by this configuration or by another one that keeps them longer; nil
-- where none counts them.
local function longest_kept(c, unit)
  local other, own = string.find(c.other_units, unit, 1, true), string.find(c.units, unit, 1, true)
  local index = other or own
  return index and tonumber(string.sub(other and c.other_retention or c.retention, index * 10 - 9, index * 10))
end
