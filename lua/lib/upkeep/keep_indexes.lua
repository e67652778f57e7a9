-- keep_indexes: builds a part of the indexes of distinct scores that boards lack: where the option is new, or a key has gone. Once
-- a day, and after a repair, it looks at every board. Answers the scan, the task that is next, and after how many seconds to come again.
local function keep_indexes(c)
  local PAUSE, clock = 21600, c.clock
  local scan = read_scan(indexes_scan_key(c.board), c.owner, clock.now_ms)
  local of = c.index_generation .. ':' .. clock.day
  if not c.is_dense or scan.of == of and scan.task == 'none' then return scan, 'ready', PAUSE end
  if scan.is_held or c.left == 0 then return scan, 'indexes', 0 end
  if scan.task ~= 'indexes' or scan.of ~= of then begin_scan(scan, 'indexes', of, 'holders', 1) end
  local keys = indexed_boards(c)
  scan.total = #keys
  while c.left > 0 and scan.stage <= #keys do
    local is_there = redis.call('EXISTS', keys[scan.stage]) == 1
    if not is_there or build_holders(c, keys[scan.stage]) then scan.stage = scan.stage + 1 end
    c.left = c.left - 2
  end
  scan.scanned = math.min(scan.stage, #keys)
  local is_done = scan.stage > #keys
  keep_scan(c, scan, is_done)
  redis.call('EXPIRE', scan.key, 172800)
  return scan, is_done and 'ready' or 'indexes', is_done and PAUSE or 0
end
