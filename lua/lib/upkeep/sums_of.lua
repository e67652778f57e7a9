-- sums_of: for each member the sum of its scores on the base boards from one period to another.
local function sums_of(c, members, first, last)
  local sums = {}
  for i = 1, #members do
    sums[i] = 0
  end
  for number = first, last do
    local scores = redis.call('ZMSCORE', period_key(c.board, c.unit, number), unpack(members))
    for i = 1, #members do
      if scores[i] then sums[i] = round_decimals(sums[i] + scores[i]) end
    end
  end
  return sums
end
