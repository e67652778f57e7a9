-- revoke_noted: takes the next events of the journal back that are asked for, unless `is_dry`. Answers the script's reply, whose first text
-- is FOUND; or the one that refuses the call.
local function revoke_noted(c, ask, place, is_dry)
  local found, next_place = find_noted(c, ask, place)
  local left, undone = still_counted(c, found)
  local reply = { 'FOUND', next_place or '', '', #left }
  for i, noted in ipairs(left) do
    reply[4 + i] = noted.member
  end
  if is_dry or #found == 0 then return reply end
  -- What was removed was left out already.
  c.moved = nil
  if #left > 0 then
    c.revokes, c.is_once_loaded = revoked_batch(left), true
    local counted = count_batch(c, {}, 1)
    if type(counted) ~= 'string' then return counted end
    redis.call('HSET', state_key(c.board), 'curated', c.now_us)
  end
  for _, noted in ipairs(undone) do
    local key = tracked_key(c.board, (bucket_of(noted.recorded / 1000)), noted.who)
    local record = redis.call('HGET', key, noted.what)
    if record and string.match(record, '^undone,(%d+)') == noted.recorded then redis.call('HDEL', key, noted.what) end
  end
  rewrite_journal(c)
  return reply
end
