-- rank_head: the members of a head (see read_head) that are shown behind the pinned ones, each as { member, score, rank }. ranking
-- is 'ordinal' (1 2 3 4), 'competition' (1 2 2 4) or 'dense' (1 2 2 3).
local function rank_head(head, curated, ranking, lowest)
  local shown, before, rank, last = {}, #curated.pins, #curated.pins, nil
  for i = 1, #head.members do
    local member, score = head.members[i], head.scores[i]
    if not is_enough(score, lowest) then break end
    if not curated.is_moved[member] then
      if ranking == 'ordinal' or ranking == 'competition' and score ~= last then
        rank = before + #shown + 1
      elseif score ~= last then
        rank = rank + 1
      end
      shown[#shown + 1], last = { member, score, rank }, score
    end
  end
  return shown
end
