-- is_archived: whether a period is archived, or may be: whoever changes it then notes whom, see put_behind. So is one that is over, where the
-- target archives its unit, and one that archiving was begun of, whatever the clock says now: `begun` is the state's "d:20776 h:498000", the last
-- such period of each unit. `current` is the unit's current period; nil between two seasons.
local function is_archived(archived, begun, unit, number, current)
  if string.find(archived, unit, 1, true) and number < (current or math.huge) then return true end
  local last = begun and string.match(' ' .. begun, ' ' .. unit .. ':(%-?%d+)')
  return last and number <= tonumber(last) or false
end
