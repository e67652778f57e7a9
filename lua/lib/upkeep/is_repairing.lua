-- is_repairing: whether a repair that began goes on: it is of this period and generation, and nothing of what it needs has gone.
local function is_repairing(c, scan)
  local call, state = redis.call, c.clock.state
  return scan.task == 'repair'
    and scan.of == c.current .. ':' .. c.clock.generation
    and state['window:' .. c.window] == 'repair ' .. c.current
    and call('ZSCORE', c.key, '\0scan')
    and call('SISMEMBER', touched_key(c.board, c.window), '\0scan') == 1
    and bases_exist(c.board, c.unit, c.current, c.length, state['made:' .. c.unit])
end
