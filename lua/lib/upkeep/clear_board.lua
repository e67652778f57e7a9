-- clear_board: empties a board that upkeep fills, with its indexes, and marks it as being filled until `expiry` (seconds).
-- `begins_index` says that the index of distinct scores is kept from here on.
local function clear_board(c, key, expiry, begins_index)
  local call = redis.call
  local holders, distinct = index_key(key, 'holders', c.index_generation), index_key(key, 'distinct', c.index_generation)
  call('UNLINK', key, index_key(key, 'first', c.index_generation), index_key(key, 'last', c.index_generation), holders, distinct)
  call('ZADD', key, '-inf', '\0', '-inf', '\0scan')
  if c.ties then call('ZADD', index_key(key, c.ties, c.index_generation), '-inf', '\0') end
  if begins_index and c.is_dense then
    call('HSET', holders, '\0', '-inf')
    call('ZADD', distinct, '-inf', '\0')
  end
  expire_filled(c, key, expiry)
end
