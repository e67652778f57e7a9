-- leave_period: moves the sorted set of a period aside, unless one is there, with its order of ties. Its other indexes go. What is
-- aside stays for 30 days more.
local function leave_period(board, key, ties)
  local KEPT_S = 30 * 86400
  local left = left_key(key)
  local is_left = redis.call('EXISTS', left) == 1
  if not is_left and redis.call('EXISTS', key) == 0 then return end
  local order = ties ~= '' and live_order(board, key, ties)
  if not is_left then
    redis.call('RENAME', key, left)
    if order and redis.call('EXISTS', order) == 1 then redis.call('RENAME', order, left .. ':' .. ties) end
  end
  for _, aside in ipairs({ left, left .. ':first', left .. ':last' }) do
    redis.call('EXPIRE', aside, KEPT_S)
  end
  if is_left then return end
  local indexes = redis.call('HGET', state_key(board), 'indexes')
  local generation = indexes and string.match(indexes, '^%d+') or '0'
  local gone = { key .. ':actions', key .. ':refused' }
  for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
    gone[#gone + 1] = index_key(key, index, generation)
  end
  redis.call('UNLINK', unpack(gone))
end
