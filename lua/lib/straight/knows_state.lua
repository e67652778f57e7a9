-- knows_state: reads of the state what plans do not tell, if it was not read yet. Answers whether that went well.
local function knows_state(c)
  if c.windows then return true end
  ask_state(c, {})
  return not read_state(c)
end
