-- forget_wanted: takes a past ranking from those that are wanted, so that its reader's address may want another.
local function forget_wanted(c, member)
  local by_key = wanted_by_key(c.board)
  redis.call('ZREM', wanted_key(c.board), member)
  local by = redis.call('HGETALL', by_key)
  for i = 1, #by, 2 do
    if by[i + 1] == member then redis.call('HDEL', by_key, by[i]) end
  end
end
