-- tracked_hashes: the hashes in which actions lie that can be undone.
-- @use hashes

-- SEQ_KEPT: for how long (seconds) the seq of an action is remembered at least: 14 days, as long as a Cloudflare Queue keeps a message.
local SEQ_KEPT = 14 * 86400

-- ERASED: the field of a hash of tracked actions that names the last order before its actor was erased. What is underway to the board since
-- before that does not count, see erase_tracked.
local ERASED = 'erased@'

-- BUCKET: the seconds of a bucket.
local BUCKET = 31 * 86400

-- bucket_of: the number of the bucket of 31 days that holds an instant (seconds), and the bucket's end. What tracked actions
-- leave behind lies in one key per bucket, which expires as a whole. Buckets do not depend on actor_history, so a change of
-- the configuration forgets nothing.
local function bucket_of(t)
  local number = math.floor(t / BUCKET)
  return number, (number + 1) * BUCKET
end

-- BUCKETS: the buckets of the state that was read last, the latest first, by its text.
local BUCKETS = { text = '', list = {} }

-- listed_buckets: the buckets that a state lists, the latest first: those that were used, since a clock that was set back may have left records in later
-- ones than now's.
local function listed_buckets(text)
  if BUCKETS.text ~= text then
    local list = {}
    for bucket in string.gmatch(text, '%d+') do
      list[#list + 1] = tonumber(bucket)
    end
    table.sort(list, function(a, b) return a > b end)
    BUCKETS.text, BUCKETS.list = text, list
  end
  return BUCKETS.list
end

-- tracked_buckets: the buckets that may hold records of a time not longer ago than `reach` actor histories, or than `least` seconds, the
-- latest first. A state that was lost lists none.
local function tracked_buckets(c, reach, least)
  local span, listed = reach * c.actor_history, c.kept_buckets and listed_buckets(c.kept_buckets)
  local from, earliest = c.now - (least and least > span and least or span), listed and listed[#listed]
  if listed and (not earliest or from < (earliest + 1) * BUCKET) then return listed end
  local oldest, buckets = bucket_of(from), {}
  if not listed then
    for bucket = bucket_of(c.now), oldest, -1 do
      buckets[#buckets + 1] = bucket
    end
    return buckets
  end
  for i = 1, #listed do
    if listed[i] >= oldest then buckets[i] = listed[i] end
  end
  return buckets
end

-- use_bucket: the bucket of now and its end, noted for the state as used. It forgets the buckets that no actor history reaches.
local function use_bucket(c)
  if c.bucket then return c.bucket, c.bucket_ends_at end
  local bucket, ends_at = bucket_of(c.now)
  c.bucket, c.bucket_ends_at = bucket, ends_at
  local listed = c.kept_buckets and listed_buckets(c.kept_buckets)
  for i = 1, listed and #listed or 0 do
    if listed[i] == bucket then return bucket, ends_at end
  end
  local buckets = tracked_buckets(c, 2, SEQ_KEPT)
  local words = table.concat(buckets, ' ')
  if c.kept_buckets and not string.find(' ' .. words .. ' ', ' ' .. bucket .. ' ', 1, true) then
    words = words .. (words == '' and '' or ' ') .. bucket
  end
  c.new_buckets = ' ' .. words .. ' '
  c.kept_buckets = c.new_buckets
  return bucket, ends_at
end

-- hash_of_now: the hash that somebody's actions of now are recorded in, and when its bucket ends; and a list of those of later buckets, if any: a clock that
-- was ahead left records there, which are found first.
local function hash_of_now(c, who)
  local hashes = c.hashes
  if hashes.recorded_of == who then return hashes.recorded_in, c.bucket_ends_at, hashes.recorded_later end
  local bucket, ends_at = use_bucket(c)
  local listed, later = listed_buckets(c.kept_buckets), nil
  if listed[1] ~= bucket then
    later = {}
    for i = 1, #listed do
      if listed[i] <= bucket then break end
      later[i] = hash_of(c.hashes, tracked_key(c.board, listed[i], who))
    end
  end
  local hash = hash_of(c.hashes, tracked_key(c.board, bucket, who))
  hashes.recorded_of, hashes.recorded_in, hashes.recorded_later = who, hash, later
  return hash, ends_at, later
end

-- find_tracked: the latest record of a tracked action, the hash that holds it, and whether it is still within the actor history
-- (seconds). nil when there is none within `reach` actor histories. A record stays known for two, so that an undo that comes too
-- late is reported so.
local function find_tracked(c, who, what, reach)
  local buckets = tracked_buckets(c, reach)
  for i = 1, #buckets do
    local hash = hash_of(c.hashes, tracked_key(c.board, buckets[i], who), what)
    local record = get_field(hash, what)
    if record then
      local age = c.now_ms - tonumber(string.match(record, '^%a+,(%d+)'))
      if age <= 2 * c.actor_history * 1000 then return record, hash, age <= c.actor_history * 1000 end
      return nil
    end
  end
end

-- want_order: lets the orders be read that tell whether a tracked action was applied, see answered_before.
local function want_order(hash, what)
  want_field(hash, what .. '@')
  want_field(hash, ERASED)
end

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
      if tracked.seq then want_field(hash_of(c.hashes, tracked_key(c.board, bucket, tracked.who)), tracked.what .. '#') end
      if tracked.order then want_order(hash_of(c.hashes, tracked_key(c.board, bucket, tracked.who)), tracked.what) end
    end
  end
  local oldest_done = bucket_of(c.now - c.actor_history)
  for _, bucket in ipairs(tracked_buckets(c, 2)) do
    local asked, missed = {}, {}
    for _, tracked in ipairs(sought) do
      if tracked.undoes or bucket >= oldest_done then
        asked[#asked + 1] = { tracked, hash_of(c.hashes, tracked_key(c.board, bucket, tracked.who)) }
        want_field(asked[#asked][2], tracked.what)
      end
    end
    for i = 1, #asked do
      local tracked, hash = asked[i][1], asked[i][2]
      load_hash(hash)
      if not get_field(hash, tracked.what) then missed[#missed + 1] = tracked end
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
