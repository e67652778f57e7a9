-- want_tracked: reads the records of a batch's tracked actions, each hash with one command, and finds the instants of what is undone.
-- Buckets are read from the latest on, until each record is found. Of an action that is done only the actor history matters; an undo
-- that comes too late is reported so for one more.
local function want_tracked(c)
  -- An action that was reported later than that (milliseconds) cannot be undone. So the years of the zone that an undo may need
  -- are known before its record is read.
  local LATEST, batch, sought = 366 * 86400 * 1000, c.batch, {}
  for e = 1, batch.count + (batch.brought or 0) do
    local tracked = batch.tracked[e]
    if tracked and (tracked.undoes or tracked.verb == 'r') then sought[#sought + 1] = tracked end
  end
  for _, bucket in ipairs(tracked_buckets(c, 1, SEQ_KEPT)) do
    for _, tracked in ipairs(sought) do
      if tracked.seq then want_field(hash_of(c, tracked_key(c.board, bucket, tracked.who)), tracked.what .. '#') end
    end
  end
  local oldest_done = bucket_of(c.now - c.actor_history)
  for _, bucket in ipairs(tracked_buckets(c, 2)) do
    local asked, missed = {}, {}
    for _, tracked in ipairs(sought) do
      if tracked.undoes or bucket >= oldest_done then
        asked[#asked + 1] = { tracked, hash_of(c, tracked_key(c.board, bucket, tracked.who)) }
        want_field(asked[#asked][2], tracked.what)
      end
    end
    for i = 1, #asked do
      local tracked, hash = asked[i][1], asked[i][2]
      load_hash(hash)
      if not hash.values[tracked.what] then missed[#missed + 1] = tracked end
    end
    sought = missed
  end
  for e = 1, batch.count + (batch.brought or 0) do
    local tracked = batch.tracked[e]
    -- Of what is brought over either may be taken back.
    for _, what in ipairs(tracked and tracked.undoes and { tracked.what, tracked.becomes } or {}) do
      local record, _, valid = find_tracked(c, tracked.who, what, 2)
      local recorded, done_at = string.match(valid and record or '', '^done,(%d+),(%d+)')
      if recorded and recorded - done_at <= LATEST then tracked.done_at = math.min(tracked.done_at or math.huge, done_at) end
    end
  end
end
