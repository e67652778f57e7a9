-- count_seldom: counts an event that was not counted as planned, or not to the end, and answers the script's reply, see count_rest. What fails takes
-- back what was added until then.
local function count_seldom(c, event, delta, done, outcome)
  c.now = c.time[1] + 0
  local is_right, reply = pcall(count_rest, c, event, delta, done, outcome)
  if is_right then return reply end
  if c.is_begun then error(reply) end
  take_back(c, event[1], delta, c.known_as)
  return untouched(reply)
end
