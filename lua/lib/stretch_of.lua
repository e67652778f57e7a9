-- stretch_of: the number of the stretch of 31 days that holds an instant (seconds), and its end. What deeds leave behind lies in one
-- key per stretch, and expires with it; stretches do not follow the memory, so that one that is configured otherwise forgets
-- nothing.
local function stretch_of(t)
  local number = math.floor(t / (31 * 86400))
  return number, (number + 1) * 31 * 86400
end
