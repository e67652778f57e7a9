-- unpin: takes a member from those that are pinned; one that is hidden as well stays hidden. See curate.
local function unpin(c, id)
  local key = curated_key(c.board)
  local curated = tonumber(redis.call('ZSCORE', key, id) or -1)
  if curated == -1 then return end
  if curated > 0 then
    redis.call('ZREM', key, id)
  else
    redis.call('ZADD', key, -1, id)
  end
  c.is_changed = true
end
