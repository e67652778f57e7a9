-- read_marks: reads what mark_done and mark_undone look at besides what was read of a tracked event, so that nothing but a write may fail once it
-- is counted. `who` does it.
local function read_marks(c, tracked, who)
  if tracked.undoes then once_mark(c, tracked, tracked.done_at, who) end
  if tracked.verb == 'o' or tracked.verb == 'n' then return end
  local now = use_bucket(c)
  for _, bucket in ipairs(tracked_buckets(c, 1)) do
    if bucket >= now then get_field(hash_of(c, tracked_key(c.board, bucket, who)), tracked.what) end
  end
end
