-- want_tracked: reads the records of a batch's tracked actions, each hash with one command, and finds the instants of what is undone.
-- Of an action that is done only the actor history matters; an undo that comes too late is reported so for one more.
local function want_tracked(c)
  -- An action that was reported later than that (milliseconds) cannot be undone. So the years of the zone that an undo may need
  -- are known before its record is read.
  local LATEST, batch = 366 * 86400 * 1000, c.batch
  for e = 1, batch.count do
    local tracked = batch.tracked[e]
    if tracked and tracked.verb ~= 'o' then
      for _, bucket in ipairs(tracked_buckets(c, tracked.undoes and 2 or 1)) do
        want_field(hash_of(c, tracked_key(c.board, bucket, tracked.who)), tracked.what)
      end
    end
  end
  for _, hash in ipairs(c.hash_list) do
    load_hash(hash)
  end
  for e = 1, batch.count do
    local tracked = batch.tracked[e]
    local record, _, valid
    if tracked and tracked.undoes then
      record, _, valid = find_tracked(c, tracked.who, tracked.what, 2)
    end
    local recorded, done_at = string.match(valid and record or '', '^done,(%d+),(%d+)')
    if recorded and recorded - done_at <= LATEST then tracked.done_at = tonumber(done_at) end
  end
end
