-- load_once: reads the marks of a batch's actions that count once, each period's with one command.
local function load_once(c)
  for _, entry in ipairs(c.entries) do
    local tracked = entry.tracked
    if tracked and not tracked.undoes then
      once_mark(c, tracked, c.batch.instants[entry.event], name_visitor(c, tracked, c.batch.instants[entry.event]))
    end
  end
  for _, set in pairs(c.once_sets) do
    load_once_set(c, set)
  end
  c.is_once_loaded = true
end
