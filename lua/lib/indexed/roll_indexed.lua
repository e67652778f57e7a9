-- roll_indexed: reads what a rolling window holds of a member, and has `add` plan what an event of now makes of it, for the board of now and for
-- the next one. Its lines begin at `at`, see plan_indexed. Answers whether all is there.
local function roll_indexed(c, lines, at, member, delta, add)
  local call, leaving = redis.call, 0
  local scores = call('ZMSCORE', lines[at], whole_mark(c.said[4] or '0'), member)
  if not (scores[1] and scores[2]) then return false end
  if lines[at + 2] ~= '' then
    local there = call('ZMSCORE', lines[at + 2], '\0', member)
    if not there[1] then return false end
    leaving = tonumber(there[2] or 0)
  end
  if not call('ZSCORE', lines[at + 1], '\0') then return false end
  local sum = round_decimals(scores[2] + delta)
  return add(lines[at], lines[at + 3], sum) and add(lines[at + 1], lines[at + 4], round_decimals(sum - leaving))
end
