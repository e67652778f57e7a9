-- put_closed: makes what was restored of a period that is over the period's own, in place of what an older Redis had of it. Answers whether that is
-- done: not where something came for the period that its archive does not have yet, and is first to be added to it.
local function put_closed(c, key, aside, sequence, note)
  local call = redis.call
  local is_older = call('HEXISTS', archive_key(c.board), note) == 1 and call('EXISTS', behind_key(key), behind_key(key) .. ':taken') == 0
  if is_older then
    drop_period(c.board, key)
  elseif call('EXISTS', key) == 1 then
    call('UNLINK', aside, aside .. ':first', aside .. ':last', aside .. ':actions')
    return false
  end
  -- Where the options changed since the first member was added it lacks some.
  local is_ordered = c.ties and call('ZCARD', aside .. ':' .. c.ties) == call('ZCARD', aside)
  if call('EXISTS', aside) == 1 then call('RENAME', aside, key) end
  if call('EXISTS', aside .. ':actions') == 1 then
    call('RENAME', aside .. ':actions', key .. ':actions')
    call('HSET', key .. ':actions', '\0', '1')
  end
  if is_ordered and call('EXISTS', aside .. ':' .. c.ties) == 1 then
    local order = index_key(key, c.ties, c.index_generation)
    call('RENAME', aside .. ':' .. c.ties, order)
    call('ZADD', order, '-inf', '\0')
    local last = tonumber(call('HGET', state_key(c.board), 'sequence') or 0)
    if last < sequence then call('HSET', state_key(c.board), 'sequence', sequence) end
  end
  call('UNLINK', behind_key(key), behind_key(key) .. ':taken')
  call('HDEL', archive_key(c.board), (string.gsub(note, '^whole', 'behind')))
  return true
end
