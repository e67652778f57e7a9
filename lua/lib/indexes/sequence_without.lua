-- sequence_without: the sequence number that a member goes back to on a period's board when a tracked action is undone. When that
-- action was the member's last one, it is the number of the one before it that was not undone, as if the action had never
-- been done. `before` is the member's number until now.
local function sequence_without(c, tracked, unit, before)
  local earlier, bucket, ends_at = tracked.before[unit] or 0, bucket_of(c.now)
  local function undone(number) return c.hashes.of(c.board .. ':undone:' .. number) end
  local number = bucket
  while earlier ~= 0 and number >= bucket_of(c.now - c.actor_history) do
    local again = c.hashes.get(undone(number), earlier .. unit)
    -- What was undone earlier may lead to what was undone later.
    number = again and bucket or number - 1
    earlier = tonumber(again or earlier)
  end
  c.hashes.put(undone(bucket), tracked.sequence .. unit, tostring(earlier))
  c.keep(undone(bucket).key, ends_at + c.actor_history)
  -- Also when the action made the member's sum zero, so that it left the board.
  return (before == tracked.sequence and earlier ~= 0 or before == 0) and earlier or before
end
