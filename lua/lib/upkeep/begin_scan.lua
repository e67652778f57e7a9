-- begin_scan: begins a scan anew. `of` says what it is a scan of: with another one a scan does not go on.
local function begin_scan(scan, task, of, step, stage)
  scan.task, scan.of, scan.step, scan.stage, scan.ahead = task, of, step, stage, stage
  scan.place, scan.scanned, scan.total = '', 0, 0
end
