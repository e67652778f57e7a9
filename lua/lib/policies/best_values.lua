-- best_values: the values of a plain batch that its members keep, as lists by the order in which they come up: their names and values, and
-- where senders are bounded their first events. nil where the batch is not plain: an event is not of now, what is kept depends on
-- the instant, or it has something beside its value.
local function best_values(c)
  local batch, same_from, keeps = c.batch, c.same_from, policy_of(c)
  if c.indexes.policy == 'latest' or c.indexes.ties or next(batch.metas) then return nil end
  local names, deltas, slots, firsts = {}, {}, {}, c.newcomers ~= '' and {}
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then
      if batch.instants[e] < same_from then return nil end
      local member, value = batch.members[e], batch.deltas[e]
      local i = slots[member]
      if not i then
        i = #names + 1
        slots[member], names[i], deltas[i] = i, batch.names[member], value
        if firsts then firsts[i] = e end
      elseif keeps(value, deltas[i]) then
        deltas[i] = value
      end
    end
  end
  return { names = names, deltas = deltas, firsts = firsts, faded = {} }
end
