-- lone_scores: the scores that only curated members have, the highest first; were it not for what `changed`, see count_above.
local function lone_scores(found, curated, changed)
  local lone = {}
  for score, holders in pairs(curated.ties) do
    local exactly = string.format('%.17g', score)
    local count = redis.call('ZCOUNT', found.key, exactly, exactly)
    for _, change in ipairs(changed or {}) do
      if change[1] == score then count = count + 1 end
      if change[2] == score then count = count - 1 end
    end
    if count == #holders then lone[#lone + 1] = score end
  end
  table.sort(lone, function(one, other) return one > other end)
  return lone
end
