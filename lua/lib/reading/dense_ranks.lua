-- dense_ranks: the dense ranks by score, by the index of distinct scores; nil when that is not kept for all of these scores. A
-- score that only curated members have is left out.
local function dense_ranks(found, curated, scores)
  local call, format = redis.call, string.format
  local index = kept_index(found, found.key, 'distinct')
  if not index or #scores == 0 then return index and {} end
  local texts, elsewhere = {}, {}
  for i = 1, #scores do
    texts[i] = format('%.17g', scores[i])
  end
  local kept = call('ZMSCORE', index, unpack(texts))
  for gap, holders in pairs(curated.ties) do
    local exactly = format('%.17g', gap)
    if call('ZCOUNT', found.key, exactly, exactly) == #holders then elsewhere[#elsewhere + 1] = gap end
  end
  table.sort(elsewhere, function(one, other) return one > other end)
  local ranks = {}
  for i = 1, #scores do
    if not kept[i] then return nil end
    local distinct = call('ZCOUNT', index, '(' .. texts[i], '+inf')
    ranks[scores[i]] = distinct - gaps_above(elsewhere, scores[i]) + #curated.pins + 1
  end
  return ranks
end
