-- count_entries: counts the entries of a batch in their order, in tables, and gives their events their outcomes. An event that is there twice is a
-- duplicate the second time, unless it was refused before: another one may have put its member on the board meanwhile.
local function count_entries(c, first)
  local batch, taken = c.batch, {}
  local outcomes, known_by = batch.outcomes, batch.repeats and batch.known_by or {}
  local function take(e)
    local id = known_by[e]
    if id and id ~= '' and not string.find(REFUSED, outcomes[e], 1, true) then taken[id] = taken[id] or e end
  end
  for e = 1, batch.repeats and batch.count or 0 do
    if outcomes[e] == 'd' then take(e) end
  end
  for i = first, #c.entries do
    local entry = c.entries[i]
    local tracked, e = entry.tracked, entry.event
    local count = tracked and (c.revokes and take_out or tracked.undoes and undo_tracked or do_tracked) or count_entry
    outcomes[e] = known_by[e] and taken[known_by[e]] and 'd' or count(c, entry)
    take(e)
  end
  for e = 1, batch.repeats and batch.count or 0 do
    if known_by[e] and (taken[known_by[e]] or e) < e then outcomes[e] = 'd' end
  end
end
