-- stretch_of: the number of the stretch of 31 days that holds an instant (seconds). What deeds leave behind lies in one key per stretch, and
-- expires with it; stretches do not follow the memory, so that one that is configured otherwise forgets nothing.
local function stretch_of(t)
  return math.floor(t / (31 * 86400))
end
