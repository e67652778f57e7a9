-- apply_batch: reads what counting a batch will look at, and counts it in tables.
local function apply_batch(c)
  local batch = c.batch
  gather_entries(c)
  if batch.has_tracked then load_once(c) end
  load_batch(c)
  for i = 1, batch.brought or 0 do
    bring_over(c, c.entries[i])
  end
  count_entries(c, 1 + (batch.brought or 0))
end
