-- event_sequence: the sequence number of an event of the batch. Where no order of ties is kept, a journal only tells the events of one call
-- apart.
local function event_sequence(c, e)
  if c.first_sequence then return c.first_sequence + e end
  return c.journal and e or 0
end
