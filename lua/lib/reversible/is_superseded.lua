-- is_superseded: whether a tracked action that carries a seq is no newer than what was applied. The seq of what was applied is a field of
-- its own beside the record, in the bucket in which it was applied: so it outlives an undo. A clock that was set back may have left
-- one in a later bucket, so the greatest of all buckets counts.
local function is_superseded(c, tracked)
  for _, bucket in ipairs(tracked_buckets(c, 1, SEQ_KEPT)) do
    local applied = get_field(hash_of(c, tracked_key(c.board, bucket, tracked.who)), tracked.what .. '#')
    if applied and tonumber(applied) >= tonumber(tracked.seq) then return true end
  end
  return false
end
