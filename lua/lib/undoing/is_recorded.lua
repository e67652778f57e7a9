-- is_recorded: whether a period counted the tracked action that is undone, by its record.
local function is_recorded(tracked, period)
  if not string.find(tracked.units, period.unit, 1, true) then return false end
  return period.unit ~= 's' or not tracked.season or tracked.season == period.number
end
