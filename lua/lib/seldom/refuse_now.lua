-- refuse_now: takes out the id of an event of now that is refused, so that it counts when it comes again and passes. Answers the outcome.
local function refuse_now(c, outcome)
  if c.id_key then redis.call('SREM', c.id_key, c.known_as) end
  c.id_key = nil
  return outcome
end
