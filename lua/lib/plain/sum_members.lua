-- sum_members: what a plain batch adds to its members, as lists by the order in which they come up: their names, deltas, how many
-- events, the sequence numbers of their last ones where ties are kept, for each decaying window what it adds there, and where
-- senders are bounded their first events. nil where the batch is not plain.
local function sum_members(c)
  local batch, same_from, windows, faded = c.batch, c.same_from, c.decaying == '' and {} or decaying_windows(c), {}
  for w = 1, #windows do
    if not windows[w].is_steady then return nil end
    faded[w] = {}
  end
  local names, deltas, times, sequences, slots, action = {}, {}, {}, c.indexes.ties and {}, {}, nil
  local firsts = c.newcomers ~= '' and {}
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then
      local member, delta, at = batch.members[e], batch.deltas[e], batch.instants[e]
      if at < same_from or action and action ~= batch.actions[e] then return nil end
      action = batch.actions[e]
      local i = slots[member]
      if i then
        deltas[i], times[i] = deltas[i] + delta, times[i] + (batch.times[e] or 1)
      else
        i = #names + 1
        slots[member], names[i], deltas[i], times[i] = i, batch.names[member], delta, batch.times[e] or 1
      end
      if firsts and not firsts[i] then firsts[i] = e end
      if sequences then sequences[i] = c.first_sequence + e end
      for w = 1, #windows do
        local window, sums = windows[w], faded[w]
        if at <= window.oldest then return nil end
        sums[i] = (sums[i] or 0) + delta * 2 ^ ((at - window.starts_at) / window.amount)
      end
    end
  end
  return { names = names, deltas = deltas, times = times, sequences = sequences, faded = faded, action = action, firsts = firsts }
end
