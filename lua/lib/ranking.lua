-- ranking: ranks of scores: ordinal, competition and dense.
-- @use order

-- ranks_of: the ranks, by place, of members that are listed with their scores (see list_shown), so many of them pinned; nil where ranks are the places.
-- ranking is 'ordinal' (1 2 3 4), 'competition' (1 2 2 4) or 'dense' (1 2 2 3).
local function ranks_of(shown, pins, ranking)
  if ranking == 'ordinal' then return nil end
  local ranks, rank, last, is_dense = {}, pins, nil, ranking == 'dense'
  for place = 1, pins do
    ranks[place] = place
  end
  for place = pins + 1, #shown / 2 do
    local score = shown[2 * place]
    if score ~= last then
      rank, last = is_dense and rank + 1 or place, score
    end
    ranks[place] = rank
  end
  return ranks
end

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

-- distinct_in_place: the distinct score that is shown in a place behind the pinned members, counted from 1; nil when there is none.
local function distinct_in_place(found, curated, index, place)
  local lone = lone_scores(found, curated)
  local is_lone = {}
  for i = 1, #lone do
    is_lone[lone[i]] = true
  end
  local window, remaining = read_order(index, place - 1, place - 1 + #lone, false), {}
  for i = 2, #window, 2 do
    local score = read_number(window[i])
    if not is_lone[score] then remaining[#remaining + 1] = score end
  end
  return window[2] and remaining[gaps_above(lone, read_number(window[2])) + 1]
end

-- count_more: how many members of the board have more than a score.
local function count_more(found, score) return redis.call('ZCOUNT', found.key, '(' .. text_of(score), '+inf') end

-- shown_above: of so many members that have more than a score those that are shown, and those that are pinned.
local function shown_above(curated, score, more) return more - gaps_above(curated.gaps, score) + #curated.pins end

-- count_higher: how many members are shown above those of a score, with more or pinned.
local function count_higher(found, curated, score) return shown_above(curated, score, count_more(found, score)) end

-- rank_of_score: the rank of a member that reaches a score now. Where equal members share no rank it stands where the order of ties
-- puts the latest; where ids order them, at its best.
local function rank_of_score(found, curated, score, ties, distinct, ranking)
  local call, exactly = redis.call, string.format('%.17g', score)
  if distinct then
    local above = call('ZCOUNT', distinct, '(' .. exactly, '+inf')
    return above - gaps_above(lone_scores(found, curated), score) + #curated.pins + 1
  end
  local higher = count_higher(found, curated, score)
  if ranking ~= 'ordinal' or ties ~= 'first' then return higher + 1 end
  return higher + call('ZCOUNT', found.key, exactly, exactly) - #(curated.ties[score] or {}) + 1
end

-- next_higher: the lowest score above a score that a member has who is shown by it; nil when nobody has more.
local function next_higher(found, curated, score)
  local room = number_arg(gaps_above(curated.gaps, score) + 1)
  local both = redis.call('ZRANGEBYSCORE', found.key, '(' .. text_of(score), '+inf', 'WITHSCORES', 'LIMIT', '0', room)
  for i = 1, #both, 2 do
    if not curated.is_moved[both[i]] then return read_number(both[i + 1]) end
  end
  return nil
end
