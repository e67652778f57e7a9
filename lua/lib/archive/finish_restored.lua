-- finish_restored: what follows when a period is restored: it is kept for as long as others, its indexes of distinct scores are built anew,
-- readers see it, and its unit is counted since it began. Removals begin anew. Where a number is given, totals of that period are handed on.
local function finish_restored(c, key, unit, starts_at, kept_until, handed_on)
  local call, state = redis.call, state_key(c.board)
  local holders, distinct = index_key(key, 'holders', c.index_generation), index_key(key, 'distinct', c.index_generation)
  call('UNLINK', holders, distinct, indexes_scan_key(c.board), restored_key(key) .. ':actions', removing_key(c.board))
  for _, kept in ipairs({ key, key .. ':actions', c.ties and index_key(key, c.ties, c.index_generation) }) do
    if kept_until > 0 then
      call('EXPIREAT', kept, kept_until)
    else
      call('PERSIST', kept)
    end
  end
  if handed_on then mark_members(c, unit, handed_on) end
  local since = call('HGET', state, 'since')
  if since then
    local changed = string.gsub(' ' .. since, '( ' .. unit .. '=)(%d+)', function(name, at)
      if tonumber(at) > starts_at then return name .. string.format('%d', starts_at) end
    end)
    call('HSET', state, 'since', string.sub(changed, 2))
  end
  call('HSET', state, 'changed', c.clock.now_us, 'due', '')
end
