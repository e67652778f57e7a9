-- expire_filled: gives a board that upkeep fills, and its indexes, an expiry (seconds).
local function expire_filled(c, key, at)
  redis.call('EXPIREAT', key, at)
  if c.ties then redis.call('EXPIREAT', index_key(key, c.ties, c.index_generation), at) end
  if c.is_dense then
    redis.call('EXPIREAT', index_key(key, 'holders', c.index_generation), at)
    redis.call('EXPIREAT', index_key(key, 'distinct', c.index_generation), at)
  end
end
