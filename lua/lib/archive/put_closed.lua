-- put_closed: makes what was restored of a period that is over the period's own. Answers whether that is done: not where something came
-- for the period meanwhile, which is first to be added to the archive.
local function put_closed(c, key, aside, sequence)
  local call = redis.call
  if call('EXISTS', key) == 1 then
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
  return true
end
