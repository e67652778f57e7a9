-- rank_each: calls `take` with member, score and rank of each member of a head (see read_head) that is shown behind the pinned ones, until that
-- answers true. Scores are numbers or all texts, see read_order. ranking is 'ordinal' (1 2 3 4), 'competition' (1 2 2 4) or 'dense' (1 2 2 3).
local function rank_each(head, curated, ranking, lowest, take)
  local members, scores, is_moved = head.members, head.scores, curated.is_moved
  local place, rank, last = #curated.pins, #curated.pins, nil
  local are_enough = is_enough(tonumber(scores[#members]), lowest)
  for i = 1, #members do
    local member, score = members[i], scores[i]
    if not are_enough and not is_enough(tonumber(score), lowest) then return end
    if not is_moved[member] then
      place = place + 1
      if ranking == 'ordinal' or ranking == 'competition' and score ~= last then
        rank = place
      elseif score ~= last then
        rank = rank + 1
      end
      last = score
      if take(member, score, rank) then return end
    end
  end
end
