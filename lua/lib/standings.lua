-- standings: where members stand, and their neighbours.
-- @use order, pages, ranking

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

-- add_neighbors: calls `append` with member, score and rank of those who stand around a member, itself among them: up to `around` on
-- either side. Only they are read, and room for the curated ones among them.
local function add_neighbors(found, curated, visible, member, standing, around, ranking, append)
  local from, to = math.max(1, standing.place - around), standing.place + around
  local room = around + #curated.gaps
  local at = standing.at and math.max(0, standing.at - room) or 0
  local last = standing.at and standing.at + room or to - #curated.pins + #curated.gaps - 1
  local head = { members = {}, scores = {} }
  if standing.at then
    head = read_order(visible.order, at, last, visible.is_packed)
  elseif last >= 0 then
    head = read_head(found, visible.ties, last + 1)
  end
  local shown, first = rank_head(head, curated, ranking, visible.lowest), 1
  if at > 0 then
    local own = 1
    while shown[own][1] ~= member do
      own = own + 1
    end
    first = standing.place - #curated.pins - own + 1
    local shift = ranking == 'dense' and standing.rank - shown[own][3] or first - 1
    -- Who is equal to the first one may stand above it, too.
    local top, best = shown[1][2], ranking == 'competition' and count_higher(found, curated, shown[1][2]) + 1
    for i = 1, #shown do
      local is_top = best and shown[i][2] == top
      shown[i][3] = is_top and best or shown[i][3] + shift
    end
  end
  add_page(curated, shown, first, from, to, append)
end

-- add_moves: adds to a reply of record_standing where the members of whom an event of a batch was counted stood before, and where they stand after
-- it, see rank_members. Where dense ranks are not known of all of them, they are those of a competition, and the reply's ranked_by says so.
local function add_moves(reply, batch, before, after)
  local is_counted, format = {}, string.format
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then is_counted[batch.members[e]] = true end
  end
  for member in pairs(is_counted) do
    for _, side in ipairs({ before, after }) do
      if side.standings[member] and side.ranked_by ~= reply[7] then reply[7] = side.ranked_by end
    end
  end
  for member, name in ipairs(batch.names) do
    if is_counted[member] then reply[#reply + 1] = name end
    for _, side in ipairs(is_counted[member] and { before, after } or {}) do
      local standing = side.standings[member]
      local rank = standing and (side.ranked_by == reply[7] and standing.rank or standing.higher + 1)
      reply[#reply + 1] = rank or ''
      reply[#reply + 1] = rank and format('%.17g', standing.score) or ''
    end
  end
end
