-- erase_tracked: forgets the tracked actions of the actor that is erased, what it did one by one, and its curation. Layout 1 kept what counts once in a hash of
-- each actor.
local function erase_tracked(c)
  local who, keys, now = 'actor:' .. c.actor, { entries_key(c.board, c.actor) }, c.clock.now
  -- A clock that was set back may have left records in later buckets than now's.
  local used = string.gmatch(c.clock.state.buckets or '', '%d+')
  for bucket in used do
    keys[#keys + 1] = tracked_key(c.board, bucket, who)
  end
  for bucket = bucket_of(now - 2 * c.actor_history), bucket_of(now) do
    keys[#keys + 1] = tracked_key(c.board, bucket, who)
  end
  for _, key in ipairs(once_keys(c)) do
    keys[#keys + 1] = key .. ':' .. who
  end
  for from = 1, #keys, 1000 do
    redis.call('UNLINK', unpack(keys, from, math.min(from + 999, #keys)))
  end
  if c.has_actors and redis.call('ZREM', curated_key(c.board), c.actor) == 1 then c.is_changed = true end
end
