-- rank_moves: gives members that a call counted, each { name, scores = { before, after }, place }, their `ranks` before and after, with nil for who
-- was or is not shown. `sides` are what each of them is ranked by. Answers whether that was possible: not where dense ranks are asked for and the
-- index of distinct scores does not have all.
local function rank_moves(stands, moves, sides, ranking)
  for s = 1, 2 do
    local side, by_score = sides[s], {}
    for _, move in ipairs(moves) do
      local score, rank = move.scores[s], side.curated.pin_of[move.name]
      if s == 2 and stands.is_still then
        rank = move.ranks[1]
      elseif not rank and not side.curated.is_moved[move.name] and is_enough(score, stands.visible.lowest) then
        if ranking == 'ordinal' then
          rank = s == 1 and move.place or place_standing(stands, side.curated, move.name, score)
        else
          rank = by_score[score] or rank_by_score(stands, side, score, ranking == 'dense' and stands.index)
          by_score[score] = rank
        end
        if not rank then return false end
      end
      move.ranks[s] = rank
    end
  end
  return true
end
