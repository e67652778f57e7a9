-- is_repairing: whether a repair that began goes on: it is of this period, and of these
-- generations of marks and indexes, and what it keeps has not gone. Base boards that go
-- meanwhile are noticed once it has ended, since the board is not whole then.
local function is_repairing(c, scan)
  local call = redis.call
  return scan.task == 'repair'
    and scan.of == scan_of(c)
    and c.clock.state['window:' .. c.window] == 'repair ' .. c.current
    and call('ZSCORE', c.key, '\0scan')
    and call('SISMEMBER', touched_key(c.board, c.window), '\0scan') == 1
end
