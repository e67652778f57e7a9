-- drop_period: drops the sorted set of a period, with its counts by action and its indexes.
local function drop_period(board, key)
  local indexes = redis.call('HGET', state_key(board), 'indexes')
  local generation = indexes and string.match(indexes, '^%d+') or '0'
  local gone = { key, key .. ':actions', key .. ':refused' }
  for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
    gone[#gone + 1] = index_key(key, index, generation)
  end
  redis.call('UNLINK', unpack(gone))
end
