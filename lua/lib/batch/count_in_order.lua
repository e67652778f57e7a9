-- count_in_order: applies the entries of a batch one by one, each to every window.
local function count_in_order(c)
  local count_event = count_entry
  for _, entry in ipairs(c.entries) do
    local tracked = entry.tracked
    local count = tracked and (tracked.undoes and undo_tracked or do_tracked) or count_event
    entry.outcome = count(c, entry)
  end
end
