-- load_once: reads the marks of a batch's actions that count once, each period's with one command, and which visitors it has.
local function load_once(c)
  for _, entry in ipairs(c.entries) do
    local tracked = entry.tracked
    if tracked and not tracked.undoes then
      local at = c.batch.instants[entry.event]
      local who = name_visitor(c, tracked, at)
      if once_mark(c, tracked, at, who) then visitor_place(c, tracked, at) end
    end
  end
  for _, set in pairs(c.once_sets) do
    load_once_set(c, set)
  end
  c.is_once_loaded = true
end
