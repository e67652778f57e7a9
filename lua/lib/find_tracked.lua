-- find_tracked: the newest record of a tracked action, its key, and whether it can still be undone (actor_history, in seconds);
-- nil when there is none. It is kept for twice that long, so that an undo that comes too late is reported as such.
-- @include tracked_key bucket_of
local function find_tracked(board, actor_history, now_ms, who, field)
  local now = math.floor(now_ms / 1000)
  for bucket = bucket_of(now), bucket_of(now - 2 * actor_history), -1 do
    local key = tracked_key(board, bucket, who)
    local record = redis.call('HGET', key, field)
    if record then
      local age = now_ms - tonumber(string.match(record, '^%a+,(%d+)'))
      if age <= 2 * actor_history * 1000 then return record, key, age <= actor_history * 1000 end
      return nil
    end
  end
end
