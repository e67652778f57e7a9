-- note_gaps: notes in `curated` the gaps that its members leave where they would stand by their scores: `gaps` are those scores, the highest
-- first; `ties` are the members by score.
local function note_gaps(curated, lowest)
  local gaps, ties = {}, {}
  for i = 1, #curated.members do
    local member = curated.members[i]
    local score = curated.scores[member]
    if is_enough(score, lowest) then
      gaps[#gaps + 1] = score
      ties[score] = ties[score] or {}
      table.insert(ties[score], member)
    end
  end
  table.sort(gaps, function(one, other) return one > other end)
  curated.gaps, curated.ties = gaps, ties
end
