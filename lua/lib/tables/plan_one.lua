-- plan_one: looks at the only entry of a batch before boards are read. Answers its outcome where it changes nothing. Else the boards of
-- its periods will be read by adding to them: one command instead of two.
local function plan_one(c, entry)
  local tracked = entry.tracked
  if tracked then
    local refusal = (tracked.undoes and find_done or find_undone)(c, entry)
    if refusal then return apply_seq(c, tracked, refusal) end
  end
  -- The clock is written before anything else.
  if not c.is_usual or entry.delta == 0 or entry.delta % 1 ~= 0 or c.indexes.policy then return nil end
  if c.resets and c.batch.instants[entry.event] <= c.reset_at then return nil end
  c.adds, c.put = true, {}
  for _, period in ipairs(entry.group.periods) do
    local takes = not entry.undoes or string.find(tracked.units, period.unit, 1, true)
    if period.board and takes then period.board.adds = entry.delta end
  end
end
