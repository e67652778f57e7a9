-- erasure_tracked: taking an actor out of what counts once and of what can be undone.
-- @use once, tracked_hashes, upkeep_scan

-- erasure_fields: the fields of the state that an erasure needs: of every rolling window, and of what these are made of; and what was counted, also by
-- other configurations.
local function erasure_fields(rolling)
  local fields = { 'indexes', 'buckets', 'counts', 'others', 'archived' }
  for window, unit in string.gmatch(rolling, '([^:%s]+):(%a):') do
    fields[#fields + 1], fields[#fields + 2] = 'window:' .. window, 'made:' .. unit
  end
  return fields
end

-- once_keys: the keys of the sets of what counts once in a period, those of every period that may be there.
local function once_keys(context)
  local keys, clock = {}, context.clock
  local function current_of(unit) return period_number(unit, clock, context.week_starts_on) end
  for unit in string.gmatch(once_units(), '%a') do
    for number = current_of(unit), current_of(unit) - periods_back(unit, context.replay_window, current_of('y')), -1 do
      keys[#keys + 1] = once_key(context.board, unit, number)
    end
  end
  return keys
end

-- run_id: names the process of the server: the cursors of its scans mean nothing to another one.
local function run_id() return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') end

-- erase_once: forgets a part of what the actor that is erased did once in a period. Its marks begin with a digest of who it is. Answers
-- the place to go on from: the set's number among once_keys, and where the scan of it is; nil when none is left.
--
-- A cursor of SSCAN means nothing to another process, so with one the scan of that set begins anew.
local function erase_once(context, place)
  local call, keys, MEMBERS = redis.call, once_keys(context), 2000
  local at, cursor, run = string.match(place, '^(%d+) (%d+) ?(%w*)$')
  at, cursor = tonumber(at), cursor
  if cursor ~= '0' and run ~= run_id() then cursor = '0' end
  local prefix, remaining = once_digest('actor:' .. context.actor, ''), MEMBERS
  while remaining > 0 and at <= #keys do
    local reply = call('SSCAN', keys[at], cursor, 'COUNT', 500)
    local own = {}
    for _, mark in ipairs(reply[2]) do
      if string.sub(mark, 1, #prefix) == prefix then own[#own + 1] = mark end
    end
    if #own > 0 then call('SREM', keys[at], unpack(own)) end
    cursor, remaining = reply[1], remaining - #reply[2] - 5
    if cursor == '0' then at = at + 1 end
  end
  if at > #keys then return nil end
  return at .. ' ' .. cursor .. (cursor == '0' and '' or ' ' .. run_id())
end

-- erase_tracked: forgets the tracked actions of the actor that is erased, what it did one by one, and its curation. Where its home gave orders, what it
-- decided until then may still be underway: for longer than that takes, the hash of its actions says so. A board that has no bucket got
-- nothing of it.
local function erase_tracked(context)
  local UNDERWAY_S, who, keys, now = 120, 'actor:' .. context.actor, { entries_key(context.board, context.actor) }, context.clock.now
  local latest
  -- A clock that was set back may have left records in later buckets than now's.
  local used = string.gmatch(context.clock.state.buckets or '', '%d+')
  for bucket in used do
    keys[#keys + 1] = tracked_key(context.board, bucket, who)
    latest = math.max(latest or 0, tonumber(bucket))
  end
  for bucket = bucket_of(now - 2 * context.actor_history), bucket_of(now) do
    keys[#keys + 1] = tracked_key(context.board, bucket, who)
  end
  redis.call('UNLINK', unpack(keys))
  if context.decided_until > 0 and latest then
    local key = tracked_key(context.board, latest, who)
    redis.call('HSET', key, ERASED, string.format('%d', context.decided_until))
    redis.call('EXPIRE', key, UNDERWAY_S)
  end
  if context.has_actors and redis.call('ZREM', curated_key(context.board), context.actor) == 1 then context.is_changed = true end
end

-- forget_places: takes members out of every order of ties that was ever kept beside a board.
local function forget_places(context, key, members)
  for generation = 0, tonumber(context.index_generation) do
    for _, order in ipairs({ 'first', 'last' }) do
      redis.call('ZREM', index_key(key, order, string.format('%d', generation)), unpack(members))
    end
  end
end
