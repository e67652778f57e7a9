-- tracked_items: the items of a batch's tracked events, by their numbers, as they were sent.
local function tracked_items(c)
  local batch, items = c.batch, {}
  for e = 1, batch.count do
    local tracked = batch.tracked[e]
    if tracked then items[e] = tracked.of_item or batch.names[batch.members[e]] end
  end
  return items
end
