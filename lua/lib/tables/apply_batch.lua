-- apply_batch: reads what counting a batch will look at, and counts it in tables.
local function apply_batch(c)
  gather_entries(c)
  load_batch(c)
  if c.batch.has_tracked then load_once(c) end
  for _, entry in ipairs(c.entries) do
    local tracked = entry.tracked
    local count = tracked and (tracked.undoes and undo_tracked or do_tracked) or count_entry
    c.batch.outcomes[entry.event] = count(c, entry)
  end
end
