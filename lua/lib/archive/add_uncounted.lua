-- add_uncounted: gives members that have counts by action and no score, since what came for them is worth nothing together, a score of zero among
-- what was moved aside. So a scan meets them.
local function add_uncounted(left)
  local CHUNK, call, tallies = 1000, redis.call, left .. ':actions'
  -- Both may have a mark.
  if call('HLEN', tallies) <= call('ZCOUNT', left, '(-inf', '+inf') then return end
  local members = call('HKEYS', tallies)
  for from = 1, #members, CHUNK do
    local added, scores = {}, call('ZMSCORE', left, unpack(members, from, math.min(from + CHUNK - 1, #members)))
    for i, score in ipairs(scores) do
      local member = members[from + i - 1]
      if not score and not is_mark(member) then
        added[#added + 1], added[#added + 2] = 0, member
      end
    end
    if #added > 0 then call('ZADD', left, unpack(added)) end
  end
end
