-- rank_members: where members stand on the window that find_window found; found.lists is who is curated, where that is known. Answers a table:
-- - standings, ranked_by: see find_standings
-- - curated, visible: what that follows from. visible.lowest is the lowest score that is shown; 0 for all above 0
local function rank_members(found, asked, min_score, ties, ranking, around)
  local visible = { ties = ties, ranking = ranking, around = around, lowest = min_score > 0 and min_score / found.scale or 0 }
  local curated = found.lists or read_curated(found.board, found.clock)
  local scores = read_scores(found, curated, asked)
  local ranked = { visible = visible, curated = curated, standings = {}, ranked_by = ranking }
  note_gaps(curated, visible.lowest)
  if found.key then
    ranked.standings, ranked.ranked_by = find_standings(found, curated, asked, scores, visible)
  end
  return ranked
end
