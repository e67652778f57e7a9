-- build_past: builds a part of the past ranking that readers have wanted for longest, and keeps it for an hour once it is whole.
-- A late event in its span gives it a new version: then it is begun anew. Answers the scan, the task that is next, and after how
-- many seconds to come again.
local function build_past(c)
  local call, clock, KEPT, PAUSE = redis.call, c.clock, 3600, 21600
  local wanted = next_wanted(c)
  if not wanted then return { scanned = 0, total = 0, at = 0 }, 'ready', PAUSE end
  c.window, c.unit, c.length, c.current = wanted.window, wanted.unit, wanted.length, wanted.number
  local key = past_key(c.board, c.window, c.current)
  local scan = read_scan(key .. ':scan', c.owner, clock.now_ms)
  if scan.is_held or c.left == 0 then return scan, 'past', 0 end
  local version = past_version(clock.state.past, c.window, c.unit, c.length, c.current)
  if not version or scan.task ~= 'past' or scan.of ~= version or not call('ZSCORE', key, '\0scan') then
    version = begin_past(c, scan, key, version)
  end
  if (scan.step == 'ahead' or scan.step == 'sums') and sum_bases(c, scan, key, c.current) then scan.step = 'zeros' end
  if scan.step == 'zeros' and drop_zeros(c, key) then scan.step = 'holders' end
  local is_done = scan.step == 'holders' and (not c.is_dense or build_holders(c, key))
  expire_filled(c, key, clock.now + KEPT)
  if not is_done then
    keep_scan(c, scan, false)
    call('EXPIREAT', scan.key, clock.now + KEPT)
    return scan, 'past', 0
  end
  call('ZREM', key, '\0scan')
  call('ZADD', key, '-inf', whole_mark(version))
  call('HSET', state_key(c.board), 'changed', clock.now_us)
  call('UNLINK', scan.key)
  forget_wanted(c, wanted.member)
  return scan, 'past', 0
end
