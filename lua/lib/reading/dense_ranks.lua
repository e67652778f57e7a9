-- dense_ranks: the dense ranks by score, by the index of distinct scores; nil when that is not kept for all of these scores. A
-- score that only curated members have is left out.
local function dense_ranks(found, curated, scores)
  local call, format = redis.call, string.format
  local index = kept_index(found, found.key, 'distinct')
  if not index or #scores == 0 then return index and {} end
  local texts = {}
  for i = 1, #scores do
    texts[i] = format('%.17g', scores[i])
  end
  local kept, lone = call('ZMSCORE', index, unpack(texts)), lone_scores(found, curated)
  local ranks = {}
  for i = 1, #scores do
    if not kept[i] then return nil end
    local distinct = call('ZCOUNT', index, '(' .. texts[i], '+inf')
    ranks[scores[i]] = distinct - gaps_above(lone, scores[i]) + #curated.pins + 1
  end
  return ranks
end
