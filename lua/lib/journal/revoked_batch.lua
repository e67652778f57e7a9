-- revoked_batch: a batch, as parse_events makes it, that takes noted events back: each as an undo of what it counted.
local function revoked_batch(found)
  local batch = { names = {}, members = {}, deltas = {}, instants = {}, outcomes = {}, actions = {}, ids = {}, tracked = {}, times = {} }
  batch.metas = {}
  local number_of = {}
  for e, noted in ipairs(found) do
    local member = number_of[noted.member]
    if not member then
      member = #batch.names + 1
      batch.names[member], number_of[noted.member] = noted.member, member
    end
    batch.members[e], batch.deltas[e], batch.instants[e] = member, -noted.delta, noted.at
    batch.outcomes[e], batch.actions[e], batch.ids[e], batch.times[e] = 'c', noted.action, '', noted.times
    noted.done_at, noted.undoes, noted.before = noted.at, true, read_before(noted.before)
    batch.tracked[e] = noted
  end
  batch.count, batch.adds, batch.is_one = #found, false, false
  return batch
end
