-- count_event: what count_straight does, without taking anything back: plans, remembers the event's id, finds whether it may count, counts it, and
-- marks that.
local function count_event(c, about, event)
  local reply = c.before and c.before({ event[1] })
  if reply then return reply end
  if not plan_event(c, about, event[3]) then return nil end
  local entry = parse_event(c, event)
  if not entry or is_elsewhere(c, entry) then return nil end
  if c.known_as ~= '' then
    if c.plan.ids == '' then return nil end
    if remember_now(c, c.known_as) then return 'd' end
  end
  if c.known_for ~= '0' and not c.undoes and is_unknown(c, c.batch.names[1]) then return refuse_now(c, 'x') end
  local refusal, found = judge_event(c, entry)
  if refusal then
    store_event(c)
    return string.find(REFUSED, refusal, 1, true) and refuse_now(c, refusal) or refusal
  end
  local outcome = found and add_event(c, entry, event[2])
  if outcome ~= 'c' or not entry.tracked then return outcome end
  c.is_begun = true
  outcome = c.undoes and mark_undone(c, entry, 'c') or mark_now(c, entry, found)
  store_event(c)
  return outcome
end
