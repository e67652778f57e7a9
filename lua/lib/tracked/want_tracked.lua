-- want_tracked: reads the records of a batch's tracked actions, each hash with one command. Of an action that is done only the actor
-- history matters; an undo that comes too late is reported so for one more.
local function want_tracked(c)
  local found = {}
  for e = 1, c.batch.count do
    local tracked = c.batch.tracked[e]
    if tracked and tracked.verb ~= 'o' then
      for bucket = bucket_of(c.now), bucket_of(c.now - (tracked.verb == 'u' and 2 or 1) * c.actor_history), -1 do
        local hash = c.hashes.of(tracked_key(c.board, bucket, tracked.who))
        c.hashes.want(hash, tracked.what)
        found[#found + 1] = hash
      end
    end
  end
  for i = 1, #found do
    c.hashes.load(found[i])
  end
end
