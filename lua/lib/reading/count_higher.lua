-- count_higher: how many members are shown above those of a score, with more or pinned.
local function count_higher(found, curated, score)
  local higher = redis.call('ZCOUNT', found.key, string.format('(%.17g', score), '+inf')
  return higher - gaps_above(curated.gaps, score) + #curated.pins
end
