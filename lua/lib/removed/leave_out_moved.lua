-- leave_out_moved: gives the events of members that are kept off the board the outcome g, and notes in c.moved_at when members were removed
-- (milliseconds): what was done before that cannot be undone.
local function leave_out_moved(c)
  local batch, found = c.batch, c.moved_said
  c.moved_at = {}
  for member, said in pairs(found) do
    c.moved_at[member] = tonumber(string.match(said, '%d+$'))
  end
  for e = 1, batch.count do
    local said = found[batch.members[e]]
    if batch.outcomes[e] == 'c' and said and string.sub(said, 1, 3) == 'off' then batch.outcomes[e] = 'g' end
  end
end
