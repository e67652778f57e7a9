-- stand: where the members of a batch stand on the window that c.stands asks for, a list by their numbers of { rank, score }, with false for
-- who is not shown. Where it is simple the scores are missing: they are in the tables of the batch.
local function stand(c)
  local stands, names, standings = c.stands, c.batch.names, {}
  if not stands.key then find_stand(c) end
  if stands.is_simple then
    for member = 1, #names do
      local at = redis.call('ZREVRANK', stands.key, names[member])
      standings[member] = at and { rank = at + 1 }
    end
    return standings
  end
  local found, curated, visible = stands.found, stands.curated, stands.visible
  found.clock.state.indexes = c.kept_indexes
  local scores = read_scores(found, curated, names)
  count_shown(found, curated, visible.lowest)
  standings, stands.ranked_by = find_standings(found, curated, names, scores, visible)
  return standings
end
