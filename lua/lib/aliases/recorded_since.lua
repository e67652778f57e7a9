-- recorded_since: the instant (milliseconds) at which what was done to an item counts as recorded for the one that it becomes; nil where it
-- went with a removal. What was done before that one was let in again came to it since, see read_since.
local function recorded_since(since, recorded)
  if recorded <= since[1] then return nil end
  return math.max(recorded, since[2] + 1)
end
