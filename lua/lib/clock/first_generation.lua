-- first_generation: the generation of marks in a state that names none yet. A new state begins with the instant: another one may have
-- been lost, and left boards with marks of its own generations. '0' was the first one of states that began before that rule.
local function first_generation(layout, now_ms) return layout and '0' or string.format('%d', now_ms) end
