-- leave_out_unknown: gives the events of items that were not announced the outcome x, see announce. Undos find what was counted.
local function leave_out_unknown(c)
  local batch = c.batch
  local announced = redis.call('ZMSCORE', known_key(c.board), unpack(batch.names))
  for e = 1, batch.count do
    local at, tracked = announced[batch.members[e]], batch.tracked[e]
    local is_known = at and tonumber(at) > c.now - c.known_for
    if batch.outcomes[e] == 'c' and not is_known and not (tracked and tracked.undoes) then batch.outcomes[e] = 'x' end
  end
end
