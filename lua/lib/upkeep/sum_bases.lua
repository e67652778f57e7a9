-- sum_bases: a part of the scan that sums up the base boards of a window, one after the other, on `target`. Answers whether all are
-- summed up. Who is written meanwhile may come out wrong, and is assigned its sum at the end: see assign_touched.
local function sum_bases(c, scan, target, last, touched)
  -- What asking Redis costs, and what a member costs by boards that are added at once, in entries; the order of ties costs twice more.
  local CALL = 5
  while c.left > 0 and scan.stage <= last do
    if scan.step == 'ahead' then
      if not look_ahead(c, scan, last, touched) then return false end
      scan.step = 'sums'
    end
    local each = (1 + (scan.ahead - scan.stage) / 3) * (c.ties and 3 or 1)
    local count = math.max(1, math.min(500, math.floor(c.left / each)))
    local members, scores, place = members_after(period_key(c.board, c.unit, scan.stage), scan.place, count)
    if #members > 0 then add_scores(c, scan, target, members, scores) end
    scan.scanned, c.left = scan.scanned + #members, c.left - #members * each - CALL
    scan.place = place or ''
    if not place then
      scan.stage = scan.ahead + 1
      scan.step, scan.ahead = 'ahead', scan.stage
    end
  end
  return scan.stage > last
end
