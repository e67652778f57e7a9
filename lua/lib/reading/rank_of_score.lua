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
