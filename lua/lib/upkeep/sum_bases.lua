-- sum_bases: a part of the scan that sums up the base boards of a window, one after the other, on `target`. Answers whether all are
-- summed up. Who is written meanwhile may come out wrong, and is assigned its sum at the end: see assign_touched.
local function sum_bases(c, scan, target, last, touched)
  -- What asking Redis costs, in entries, and as how many members each call finds out how many are on all boards that are added at once. A
  -- member costs more by each of these, and much more where it is not on all of them; the order of ties costs twice more.
  local CALL, FIRST = 5, 20
  while c.left > 0 and scan.stage <= last do
    if scan.step == 'ahead' then
      if not look_ahead(c, scan, last, touched) then return false end
      scan.step = 'sums'
    end
    local boards = scan.ahead - scan.stage
    local function each() return c.ties and 3 + boards or 1 + boards * (0.07 + (c.missing or 0) * 0.3) end
    local most = (c.missing or c.ties or boards == 0) and 500 or FIRST
    local count = math.max(1, math.min(most, math.floor(c.left / each())))
    local members, scores, place = members_after(period_key(c.board, c.unit, scan.stage), scan.place, count)
    if #members > 0 then add_scores(c, scan, target, members, scores) end
    scan.scanned, c.left = scan.scanned + #members, c.left - #members * each() - CALL
    scan.place = place or ''
    if not place then
      scan.stage = scan.ahead + 1
      scan.step, scan.ahead = 'ahead', scan.stage
    end
  end
  return scan.stage > last
end
