-- want_events: reads what counting a batch will look at, each key with one command for all members.
local function want_events(c)
  local batch, sets, hashes = c.batch, c.sets, c.hashes
  local function want(key, member)
    if not c.indexes['activity-log'] then sets.want(sets.of(key), member) end
    if c.indexes.actions then hashes.want(hashes.of(key .. ':actions'), member) end
  end
  for e = 1, batch.count do
    -- An undo that finds nothing to undo has no instant.
    local member, at = batch.members[e], batch.done_at[e] or batch.instants[e]
    for _, period in ipairs(batch.outcomes[e] == 'c' and periods_at(c, at) or {}) do
      if period.kept then want(period.key, member) end
    end
    for _, window in ipairs(batch.outcomes[e] == 'c' and c.decaying or {}) do
      for _, on in ipairs(window.boards_of(at)) do
        want(window_key(c.board, window.name, on[1]), member)
      end
    end
  end
  for _, set in pairs(sets.known) do
    sets.load(set)
  end
  for _, hash in pairs(hashes.known) do
    hashes.load(hash)
  end
end
