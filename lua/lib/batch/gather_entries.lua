-- gather_entries: what a batch counts, as a list of entries in the order of its events: a member, a delta, and the group of its
-- periods. Events of one member, group and action are one entry where order does not matter. c.entry_of tells each event's.
local function gather_entries(c)
  local batch, entries = c.batch, c.entries
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then
      local member, action, tracked = batch.members[e], batch.actions[e], batch.tracked[e]
      local group = group_of(c, tracked and tracked.done_at or batch.instants[e])
      local slot = action and batch.is_plain and member .. ' ' .. action or member
      local entry = batch.is_plain and group.entries[slot]
      if entry then
        entry.delta, entry.times = entry.delta + batch.deltas[e], entry.times + 1
      else
        entry = { member = member, delta = batch.deltas[e], group = group, action = action, times = 1, events = {}, tracked = tracked }
        group.entries[slot], entries[#entries + 1] = entry, entry
      end
      entry.events[#entry.events + 1], entry.last, c.entry_of[e] = e, e, entry
      if not group.has[member] then
        group.has[member], group.members[#group.members + 1] = true, member
      end
    end
  end
end
