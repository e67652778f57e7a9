-- find_place: where a member of this score is shown, counted from 1, and its place in the order, from 0. The first is nil when the
-- order does not have it where its score belongs. `higher` is how many are shown above it with more.
local function find_place(order, curated, member, score, higher)
  local call, gaps = redis.call, gaps_above(curated.gaps, score)
  local at = call('ZREVRANK', order, member)
  if not at or at - gaps + #curated.pins < higher then return nil end
  for _, other in ipairs(curated.ties[score] or {}) do
    local theirs = call('ZREVRANK', order, other)
    if theirs and theirs < at then gaps = gaps + 1 end
  end
  return at - gaps + #curated.pins + 1, at
end
