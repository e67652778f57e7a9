-- lone_scores: the scores that only curated members have, the highest first.
local function lone_scores(found, curated)
  local lone = {}
  for score, holders in pairs(curated.ties) do
    local exactly = string.format('%.17g', score)
    local count = redis.call('ZCOUNT', found.key, exactly, exactly)
    if count == #holders then lone[#lone + 1] = score end
  end
  table.sort(lone, function(one, other) return one > other end)
  return lone
end
