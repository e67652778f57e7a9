-- build_holders: builds a part of the index of distinct scores of a board, from the highest score down; answers whether the index
-- is whole.
--
-- The field "\0" of the holders is the score down to which they are counted. A writer keeps the scores from there up and leaves the
-- others to upkeep, so the index is exact at any moment, however many write. When it is whole, that field is "-inf", and the
-- distinct scores carry the mark "\0"; until then they carry "\0scan", which goes if the key does.
local function build_holders(c, key)
  local call = redis.call
  local holders_key, distinct_key = index_key(key, 'holders', c.index_generation), index_key(key, 'distinct', c.index_generation)
  local from, marked = call('HGET', holders_key, '\0'), call('ZMSCORE', distinct_key, '\0', '\0scan')
  c.left = c.left - 5
  if from == '-inf' and marked[1] then return true end
  if not from or from == '-inf' or not marked[2] then
    call('UNLINK', holders_key, distinct_key)
    call('ZADD', distinct_key, '-inf', '\0scan')
    from = 'inf'
  end
  while c.left > 0 and from ~= '-inf' do
    local counted, distinct, last, read = holders_below(key, from)
    from = last
    if #distinct > 0 then call('ZADD', distinct_key, unpack(distinct)) end
    call('HSET', holders_key, '\0', from, unpack(counted))
    c.left = c.left - read - #distinct - 5
  end
  if from == '-inf' then
    call('ZREM', distinct_key, '\0scan')
    call('ZADD', distinct_key, '-inf', '\0')
    call('HSET', state_key(c.board), 'changed', c.clock.now_us)
  end
  local left = call('TTL', key)
  for _, index in ipairs(left > 0 and { holders_key, distinct_key } or {}) do
    call('EXPIRE', index, left)
  end
  return from == '-inf'
end
