-- take_plan: notes in c the plan of an event of now, where the state holds one that fits, see find_plan. c.said has it and its arguments from a
-- place on. Answers whether it does.
local function take_plan(c, at)
  local text, about = c.said[at], c.said[at + 1]
  local state = plan_state(c.seen, c.said[4], c.said, 13, 12 + 2 * #c.windows)
  if not text or about ~= c.about or string.find(text, state, 1, true) ~= 1 then return false end
  local from = #state
  if c.at < tonumber(string.sub(text, from + 1, from + 13)) or c.now >= tonumber(string.sub(text, from + 14, from + 23)) then
    return false
  end
  c.text, c.from = text, from
  return true
end
