-- place_moves: tells the places that members had before the only event of a call, by what is known after it, see place_before.
local function place_moves(c, moves)
  local stands = c.stands
  find_scores(c)
  note_gaps(stands.curated, stands.visible.lowest)
  for _, move in ipairs(moves) do
    move.place = move.place and place_before(stands.curated, move.place, move.scores[1], move.scores[2])
  end
end
