-- find_standings: where members stand: a list of { place, rank, score, higher, at }, false for who is not shown. `higher` is how
-- many stand above with more; see place_members for the places. Also answers the kind of the ranks: dense ones need their index,
-- and are those of a competition without it.
local function find_standings(found, curated, asked, scores, visible)
  local standings, members, theirs, distinct, higher = {}, {}, {}, {}, {}
  for i = 1, #asked do
    local member, score = asked[i], scores[i]
    local pin = curated.pin_of[member]
    standings[i] = pin and { place = pin, rank = pin, score = curated.scores[member] or 0, higher = pin - 1 } or false
    if not curated.is_moved[member] and is_enough(score, visible.lowest) then
      members[#members + 1], theirs[#theirs + 1] = member, score
      if not higher[score] then
        distinct[#distinct + 1], higher[score] = score, count_higher(found, curated, score)
      end
      standings[i] = { score = score, higher = higher[score] }
    end
  end
  local ranking = visible.ranking
  local dense = ranking == 'dense' and dense_ranks(found, curated, distinct)
  if ranking == 'dense' and not dense then ranking = 'competition' end
  visible.order, visible.is_packed = find_order(found, visible.ties, members, theirs)
  if not place_members(visible.order, curated, asked, standings, ranking, visible.around) then
    visible.order, visible.is_packed = found.key, false
    place_members(found.key, curated, asked, standings, ranking, visible.around)
  end
  for i = 1, #asked do
    local standing = standings[i]
    if standing and not standing.rank then
      standing.rank = ranking == 'ordinal' and standing.place or dense and dense[standing.score] or standing.higher + 1
    end
  end
  return standings, ranking
end
