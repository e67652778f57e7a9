-- end_alias: forgets how far making an item another one is: all of it is done.
local function end_alias(c, old, new)
  local call, key, others = redis.call, moved_key(c.board), {}
  for item in string.gmatch(call('HGET', key, merging_field(new)) or '', '[^\n]+') do
    if item ~= old then others[#others + 1] = item end
  end
  call('HDEL', key, progress_field(old), since_field(old))
  if #others > 0 then
    call('HSET', key, merging_field(new), table.concat(others, '\n'))
  elseif call('HDEL', key, merging_field(new)) == 1 then
    call('HSET', state_key(c.board), 'moved', moved_counts(c.clock.state.moved, 'merging', -1))
    drop_plans(c.board)
  end
end
