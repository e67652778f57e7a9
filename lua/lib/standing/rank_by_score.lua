-- rank_by_score: the rank that members of a score share on one side of what `changed`, see count_above: dense by an index of distinct scores,
-- else that of a competition. nil where the index does not have the score. `side` holds who is curated, and what the index and the board
-- are counted without.
local function rank_by_score(stands, side, score, index)
  local key, gaps, changed = stands.key, side.curated.gaps, side.changed
  if index then
    local text = string.format('%.17g', score)
    local is_kept = index.from and score >= index.from or not index.from and redis.call('ZSCORE', index.key, text)
    if not is_kept then return nil end
    side.lone = side.lone or lone_scores(stands.found, side.curated, changed)
    key, gaps, changed = index.key, side.lone, side.changed_index
  end
  return count_above(key, score, changed) - gaps_above(gaps, score) + #side.curated.pins + 1
end
