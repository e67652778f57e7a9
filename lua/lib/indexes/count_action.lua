-- count_action: counts an event's action for its member on the board of a key, in tables. `worth` is what the event added there.
local function count_action(c, e, key, worth, decimal)
  local batch, hash = c.batch, c.hashes.of(key .. ':actions')
  local member, tracked = batch.members[e], batch.tracked[e]
  local times = tracked and tracked.verb == 'u' and -1 or 1
  c.hashes.put(hash, member, tally(c.hashes.get(hash, member), batch.actions[e], times, worth, decimal))
end
