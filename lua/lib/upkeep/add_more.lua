-- add_more: adds to the scores of members those that they have on the boards that are scanned together with theirs. Redis adds up who is on all of
-- these, several times faster than it tells scores one by one. c.missing is the part of the last members that was not: where that is half
-- of them or more, nobody is looked for so.
local function add_more(c, scan, members, scores)
  local call, first, last, missed, sums = redis.call, scan.stage + 1, scan.ahead, {}, {}
  if last < first then return end
  if (c.missing or 0) < 0.5 then
    local part, set, asked, weights = window_key(c.board, c.window, 'part'), {}, { last - first + 2 }, { 'WEIGHTS', 0 }
    for i = 1, #members do
      set[2 * i - 1], set[2 * i] = 0, members[i]
    end
    asked[2] = part
    for number = first, last do
      asked[#asked + 1], weights[#weights + 1] = period_key(c.board, c.unit, number), 1
    end
    for i = 1, #weights do
      asked[#asked + 1] = weights[i]
    end
    asked[#asked + 1] = 'WITHSCORES'
    call('ZADD', part, unpack(set))
    local found = call('ZINTER', unpack(asked))
    call('UNLINK', part)
    for i = 1, #found, 2 do
      sums[found[i]] = found[i + 1]
    end
  end
  local slots = {}
  for i = 1, #members do
    local sum = sums[members[i]]
    if sum then
      scores[i] = scores[i] + sum
    else
      missed[#missed + 1], slots[#slots + 1] = members[i], i
    end
  end
  for number = #missed > 0 and first or last + 1, last do
    local more = call('ZMSCORE', period_key(c.board, c.unit, number), unpack(missed))
    for i = 1, #missed do
      if more[i] then scores[slots[i]] = scores[slots[i]] + more[i] end
    end
  end
  c.missing = #missed / #members
end
