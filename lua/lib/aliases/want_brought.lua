-- want_brought: lets what an event's actor did to an item that became another one be made what it did to that, before the batch's events are
-- counted. It is an event of the batch behind those that were sent. `of` holds what it was known by, the item, and the instant in whose
-- period it may have counted once, and since when both items count, see read_since.
local function want_brought(batch, member, tracked, of)
  batch.brought = (batch.brought or 0) + 1
  local e = batch.count + batch.brought
  batch.members[e], batch.deltas[e], batch.instants[e], batch.times[e] = member, 0, of.at, 1
  batch.actions[e] = of.action
  batch.tracked[e] = {
    verb = 'u',
    undoes = true,
    brings = true,
    what = of.was,
    becomes = tracked.what,
    who = tracked.who,
    once = tracked.once,
    item = of.item,
    at = of.at,
    since = of.since,
  }
end
