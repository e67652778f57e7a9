-- leave_period: moves the sorted set of a period aside, unless one is there, with its order of ties and its counts by action. Its other
-- indexes go. What is aside stays for 30 days more. Answers and notes when it was moved (microseconds): what came since is not of it.
local function leave_period(board, key, ties, now_us)
  local KEPT_S, call = 30 * 86400, redis.call
  local left = left_key(key)
  local is_left = call('EXISTS', left) == 1
  if not is_left and call('EXISTS', key) == 0 then return now_us end
  if not is_left then
    local order = ties ~= '' and live_order(board, key, ties)
    local beside = { [key .. ':actions'] = left .. ':actions' }
    if order then beside[order] = left .. ':' .. ties end
    call('RENAME', key, left)
    for from, to in pairs(beside) do
      if call('EXISTS', from) == 1 then call('RENAME', from, to) end
    end
  end
  for _, aside in ipairs({ left, left .. ':first', left .. ':last', left .. ':actions' }) do
    call('EXPIRE', aside, KEPT_S)
  end
  if is_left then return tonumber(call('HGET', archive_key(board), 'left') or now_us) end
  call('HSET', archive_key(board), 'left', string.format('%.0f', now_us))
  local indexes = call('HGET', state_key(board), 'indexes')
  local generation = indexes and string.match(indexes, '^%d+') or '0'
  local gone = { key .. ':refused' }
  for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
    gone[#gone + 1] = index_key(key, index, generation)
  end
  call('UNLINK', unpack(gone))
  return now_us
end
