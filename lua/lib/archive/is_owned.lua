-- is_owned: whether another owner did something with a board's periods in the last half minute.
local function is_owned(board, owner, now)
  local BUSY_S = 30
  local last = redis.call('HMGET', archive_key(board), 'owner', 'at')
  local at = tonumber(last[2] or 0)
  return last[1] and last[1] ~= owner and at <= now and now < at + BUSY_S
end
