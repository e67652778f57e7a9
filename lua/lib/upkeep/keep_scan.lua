-- keep_scan: remembers how far a scan is, and who is at it: nobody when its task has ended.
local function keep_scan(c, scan, is_done)
  redis.call(
    'HSET',
    scan.key,
    'owner',
    is_done and '' or c.owner,
    'at',
    c.clock.now_ms,
    'task',
    is_done and 'none' or scan.task,
    'of',
    scan.of,
    'step',
    scan.step,
    'stage',
    scan.stage,
    'ahead',
    scan.ahead,
    'place',
    scan.place,
    'scanned',
    scan.scanned,
    'total',
    scan.total
  )
  scan.at = c.clock.now_ms
end
