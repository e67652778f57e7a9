-- prepare_window: a part of the scan that gives each member its score on the next period's board; answers whether that board is
-- whole. Every step assigns what is true, so that writers may do the same meanwhile.
--
-- Besides the current board it scans the base boards that leave and come: whose sum is zero today may have points tomorrow.
local function prepare_window(c, scan)
  local call, of, EACH = redis.call, scan_of(c), c.ties and 9 or 3
  local sources = {
    c.key,
    period_key(c.board, c.unit, c.current - c.length + 1),
    period_key(c.board, c.unit, c.current + 1),
  }
  if scan.task ~= 'prepare' or scan.of ~= of or not call('ZSCORE', c.next_key, '\0scan') then
    -- Without an order of ties it was begun under other options.
    if c.ties and not keeps_order(c, c.next_key) or not c.ties and call('ZCOUNT', c.next_key, '(-inf', '+inf') == 0 then
      clear_board(c, c.next_key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on), true)
    end
    call('ZADD', c.next_key, '-inf', '\0scan')
    begin_scan(scan, 'prepare', of, 'members', 1)
    for s = 1, #sources do
      scan.total = scan.total + call('ZCOUNT', sources[s], '(-inf', '+inf')
    end
  end
  while c.left > 0 and scan.stage <= #sources do
    local members, _, place = members_after(sources[scan.stage], scan.place, math.max(1, math.min(500, math.floor(c.left / EACH))))
    if #members > 0 then prepare_members(c, members, c.ties) end
    scan.scanned, c.left = scan.scanned + #members, c.left - #members * EACH - 5
    scan.place = place or ''
    if not place then scan.stage = scan.stage + 1 end
  end
  local is_done = scan.stage > #sources
  if is_done then
    call('ZREM', c.next_key, '\0scan')
    call('ZADD', c.next_key, '-inf', whole_mark(c.clock.generation))
    if c.clock.state['lost:' .. c.unit] then note_lost(c, c.clock, c.unit, '') end
  end
  expire_filled(c, c.next_key, rolling_expiry(c.clock.rows, c.unit, c.current + 1, c.week_starts_on))
  return is_done
end
