-- apply_batch: reads what counting a batch will look at, and counts it in tables. Most batches are plain: all events add to their
-- members, and there is no index.
local function apply_batch(c)
  local batch = c.batch
  if batch.is_plain and not c.has_indexes and not c.indexes.actions then
    gather_plain(c)
    load_batch(c)
    if count_plain(c) then return end
    -- A sum may pass zero inside the batch, and make room.
    batch.is_plain = false
  end
  gather_entries(c)
  load_batch(c)
  if batch.has_tracked then load_once(c) end
  for _, entry in ipairs(c.entries) do
    local tracked = entry.tracked
    local count = tracked and (tracked.undoes and undo_tracked or do_tracked) or count_entry
    entry.outcome = count(c, entry)
  end
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then batch.outcomes[e] = c.entry_of[e].outcome end
  end
end
