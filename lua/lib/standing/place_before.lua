-- place_before: the place that a member had before the only event of a call, by where it stood in an order, see place_added, and by its scores before
-- and after. Among curated members with its score, whoever had more above them than it had stood below it.
local function place_before(curated, place, was, score)
  local at, order, gaps = place[1], place[2], gaps_above(curated.gaps, was)
  for _, other in ipairs(curated.ties[was] or {}) do
    local theirs = redis.call('ZREVRANK', order, other)
    -- The member may have risen above them.
    if theirs and (score > was and theirs - 1 or theirs) < at then gaps = gaps + 1 end
  end
  return at - gaps + #curated.pins + 1
end
