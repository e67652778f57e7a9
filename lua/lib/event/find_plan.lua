-- find_plan: what make_plan found for an event of now, as the state holds it: a list of texts; nil where that was for other arguments,
-- another state or another time. `about` are the arguments that a plan follows from, `at` is when the event was.
--
-- The text begins with all that it follows from, so nobody who changes the state needs to know of it. c.known is that part.
local function find_plan(c, about, at)
  local said, text = c.said, c.said[1]
  local head = (said[2] or '') .. '\n' .. (said[3] or '') .. '\n' .. (said[4] or '') .. '\n' .. (said[5] or '') .. '\n' .. (said[6] or '')
  local known = about .. '\n' .. head .. '\n' .. (said[7] or '') .. '\n' .. (said[8] or '') .. '\n' .. (said[9] or '') .. '\n'
  for w = 1, #c.windows do
    known = known .. (said[9 + 2 * w] or '') .. '\n' .. (said[10 + 2 * w] or '') .. '\n'
  end
  c.known, c.text = known, text
  if not text or string.find(text, known, 1, true) ~= 1 then return nil end
  local plan = { string.match(text, '^(%d+) (%d+) (%d+) (%d*) (%d*) (%S*) (%d*) (%d*) (%d+)\n()', #known + 1) }
  return c.now >= tonumber(plan[1]) and c.now < tonumber(plan[2]) and at >= tonumber(plan[3]) and plan or nil
end
