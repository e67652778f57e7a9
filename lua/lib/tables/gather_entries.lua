-- gather_entries: what a batch counts, as a list of entries in the order of its events: a member, a delta, the group of its periods, and
-- the number of its event. First stands what is brought over, see want_brought.
local function gather_entries(c)
  local batch, entries = c.batch, c.entries
  local function gather(e)
    local member, tracked = batch.members[e], batch.tracked[e]
    local group = group_of(c, tracked and tracked.done_at or batch.instants[e])
    entries[#entries + 1] = {
      member = member,
      delta = batch.deltas[e],
      group = group,
      action = batch.actions[e],
      times = batch.times[e] or 1,
      event = e,
      tracked = tracked,
    }
    if not group.has[member] then
      group.has[member], group.members[#group.members + 1] = true, member
    end
  end
  for e = batch.count + 1, batch.count + (batch.brought or 0) do
    gather(e)
  end
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then gather(e) end
  end
end
