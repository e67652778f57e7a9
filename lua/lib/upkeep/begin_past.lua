-- begin_past: begins to build a past ranking; answers its version. The state forgets those whose board has gone. A board keeps four, each with as
-- many members as the window had, and the one that was begun first leaves for the next.
local function begin_past(c, scan, key, version)
  local MOST, call, entries = 4, redis.call, {}
  c.clock.state['made:' .. c.unit] = call('HGET', state_key(c.board), 'made:' .. c.unit)
  note_gone(c, c.current - c.length + 1, c.current)
  local own = string.format('%s:%s:%d:%d:', c.window, c.unit, c.length, c.current)
  for entry, window, number in string.gmatch(c.clock.state.past or '', '(([^%s:]+):%a:%d+:(%d+):%d+)') do
    local is_own = string.sub(entry, 1, #own) == own
    if not is_own and call('EXISTS', past_key(c.board, window, number)) == 1 then entries[#entries + 1] = entry end
  end
  version = version or '1'
  while #entries >= MOST do
    local window, number = string.match(table.remove(entries, 1), '^([^:]+):%a:%d+:(%d+):')
    local gone = past_key(c.board, window, number)
    call('UNLINK', gone, gone .. ':scan')
    for _, index in ipairs({ 'first', 'last', 'distinct', 'holders' }) do
      call('UNLINK', index_key(gone, index, c.index_generation))
    end
  end
  entries[#entries + 1] = own .. version
  call('HSET', state_key(c.board), 'past', ' ' .. table.concat(entries, ' '))
  clear_board(c, key, c.clock.now + 3600, false)
  begin_scan(scan, 'past', version, 'ahead', c.current - c.length + 1)
  scan.total = count_bases(c, scan.stage, c.current)
  c.left = c.left - c.length
  return version
end
