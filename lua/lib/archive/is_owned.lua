-- is_owned: whether a board's periods are another owner's: who begins takes them over from one that did nothing for half a minute. That one
-- may go on no more, though the other has ended.
local function is_owned(board, owner, now, begins)
  local BUSY_S = 30
  local last = redis.call('HMGET', archive_key(board), 'owner', 'at')
  local at = tonumber(last[2] or 0)
  if last[1] == owner then return false end
  return not begins or last[1] and at <= now and now < at + BUSY_S
end
