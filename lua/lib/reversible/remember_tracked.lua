-- remember_tracked: the record of a reversible action that was counted: when it was recorded and happened, what it added and how often it happened, the units that took it, see also
-- recorded_windows, its sequence number and those of the member before it, by units; in the activity log also its action and
-- item, each on a line.
local function remember_tracked(c, entry, who)
  local tracked, batch = entry.tracked, c.batch
  local bucket, ends_at, is_old = use_bucket(c)
  local at, added = batch.instants[entry.event], put_delta_and_times(batch.deltas[entry.event], entry.times)
  local counted = string.format('%d,%d,%s,%s,%s', recorded_at(c, entry, who), at, added, tracked.took, recorded_windows(c, tracked))
  local hash = hash_of(c, tracked_key(c.board, bucket, who))
  -- A record that a clock which was ahead left in a later bucket would be found first.
  for _, later in ipairs(tracked_buckets(c, 1)) do
    if later > bucket then put_field(hash_of(c, tracked_key(c.board, later, who)), tracked.what, false) end
  end
  local names = tracked.item and '\n' .. batch.actions[entry.event] .. '\n' .. tracked.item or ''
  local sequences = string.format('%d,%s', event_sequence(c, entry.event), sequences_before(c, tracked))
  put_field(hash, tracked.what, 'done,' .. counted .. ',' .. sequences .. names)
  keep_until(hash, ends_at + 2 * c.actor_history, is_old)
end
