-- sequence_without: the sequence number that a member goes back to on a period's board when a tracked action is undone. When that
-- action was the member's last one, it is the number of the one before it that was not undone, as if the action had never
-- been done. `before` is the member's number until now.
local function sequence_without(c, tracked, unit, before)
  local earlier, bucket, ends_at, is_old = tracked.before[unit] or 0, use_bucket(c)
  local buckets, i = tracked_buckets(c, 1), 1
  while earlier ~= 0 and buckets[i] do
    local again = get_field(hash_of(c, undone_key(c.board, buckets[i])), earlier .. unit)
    -- What was undone earlier may lead to what was undone later.
    i = again and 1 or i + 1
    earlier = tonumber(again or earlier)
  end
  local hash = hash_of(c, undone_key(c.board, bucket))
  put_field(hash, tracked.sequence .. unit, tostring(earlier))
  keep_until(hash, ends_at + c.actor_history, is_old)
  -- Also when the action made the member's sum zero, so that it left the board.
  return (before == tracked.sequence and earlier ~= 0 or before == 0) and earlier or before
end
