-- keep_until: lets a key live until an instant (seconds) or longer. Another configuration may have given it less.
local function keep_until(key, at, now)
  local left = redis.call('TTL', key)
  if left < 0 or left + 60 < at - now then redis.call('EXPIREAT', key, at) end
end
