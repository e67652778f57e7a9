-- add_standings: adds to a reply what c.stands asks for of each member of whom an event was counted: where it stood before, and where it
-- stands now.
local function add_standings(c, reply)
  local stands, batch = c.stands, c.batch
  local names, is_counted, moves, missing, changed, scores = batch.names, {}, {}, {}, find_changed(c), {}
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then is_counted[batch.members[e]] = true end
  end
  for i = 1, #changed do
    scores[changed[i][3]] = changed[i]
  end
  for member = 1, #names do
    if is_counted[member] then
      moves[#moves + 1] = { name = names[member], scores = scores[names[member]], place = stands.places[member], ranks = {} }
      if not scores[names[member]] then missing[#missing + 1] = moves[#moves] end
    end
  end
  read_missing(stands, missing)
  if stands.is_added then place_moves(c, moves) end
  -- The state says now which indexes are kept: the batch may have begun them.
  stands.found.clock.state.indexes = c.new_indexes or c.kept_indexes
  local distinct = find_distinct(stands, c.boards[stands.key])
  reply[4], reply[5], reply[6] = stands.number, '', is_standing_whole(c) and 1 or 0
  if stands.unit ~= 's' then reply[5] = period_bounds(rows_of(c), stands.unit, stands.number, c.week_starts_on) or '' end
  add_moves(stands, reply, moves, changed, distinct)
end
