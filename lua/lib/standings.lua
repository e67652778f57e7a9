-- standings: where members stand, and their neighbours.
-- @use order, pages, ranking

-- read_close: the places in an order, from 0 and by member, of those asked for who are equal and close together: they stand below all that have more, and
-- above the next ones that are asked for, or the end. One command for those of scores that follow each other, where it reads few others; none where nobody
-- but the one who is asked for can stand there. An order of ties is asked all the same: it is to be right before it is believed.
local function read_close(visible, distinct, higher_of, asked_for, one_of)
  local places, till, first, last = {}, visible.total, nil, nil
  table.sort(distinct)
  for i = 1, #distinct + 1 do
    local score = distinct[i]
    local from = score and higher_of[score]
    local is_alone = from and till == from + 1 and not visible.is_packed
    local is_close = from and till and till - from <= 3 * asked_for[score]
    if is_alone then
      places[one_of[score]] = from
    elseif is_close then
      first, last = from, last or till - 1
    elseif first then
      local members = redis.call('ZREVRANGE', visible.order, number_arg(first), number_arg(last))
      for at = 1, #members do
        places[members[at]] = first + at - 1
      end
      first, last = nil, nil
    end
    till = from
  end
  return places
end

-- find_standings: where members stand, as lists in their order, with false for who is not shown: ranks, scores, and `higher`, how many stand above
-- with more. `place` and `at` are those of the first one, see place_members. Also answers the kind of the ranks: dense ones need their index,
-- and are those of a competition without it.
local function find_standings(found, curated, asked, scores, visible)
  local ranks, shown, higher, distinct, higher_of, asked_for, one_of = {}, {}, {}, {}, {}, {}, {}
  local is_moved, pin_of, lowest, has_ties = curated.is_moved, curated.pin_of, visible.lowest, visible.ties ~= ''
  local members, theirs = has_ties and {} or NOBODY, has_ties and {} or NOBODY
  local is_plain = #curated.members == 0
  for i = 1, #asked do
    local member, score = asked[i], scores[i]
    local above, pin = is_plain and higher_of[score], pin_of[member]
    if above then
      ranks[i], shown[i], higher[i], asked_for[score] = above + 1, score, above, asked_for[score] + 1
    elseif pin then
      ranks[i], shown[i], higher[i] = pin, curated.scores[member] or 0, pin - 1
    elseif is_moved[member] or not score or score < lowest or score <= 0 and lowest == 0 then
      ranks[i], shown[i], higher[i] = false, false, false
    else
      above = higher_of[score]
      if not above then
        above = count_higher(found, curated, score)
        distinct[#distinct + 1], higher_of[score], asked_for[score], one_of[score] = score, above, 1, member
      end
      ranks[i], shown[i], higher[i] = above + 1, score, above
    end
    if has_ties and shown[i] and not pin then
      members[#members + 1], theirs[#theirs + 1] = member, score
    end
  end
  local standings, ranking = { ranks = ranks, scores = shown, higher = higher, place = pin_of[asked[1]] }, visible.ranking
  local dense = ranking == 'dense' and dense_ranks(found, curated, distinct)
  if ranking == 'dense' and not dense then ranking = 'competition' end
  for i = 1, dense and #asked or 0 do
    if shown[i] and not pin_of[asked[i]] then ranks[i] = dense[shown[i]] end
  end
  visible.order, visible.is_packed = find_order(found, visible.ties, members, theirs)
  local places = is_plain and ranking == 'ordinal' and read_close(visible, distinct, higher_of, asked_for, one_of) or {}
  if not place_members(visible.order, curated, asked, standings, ranking, visible.around, places) then
    visible.order, visible.is_packed = found.key, false
    place_members(found.key, curated, asked, standings, ranking, visible.around, {})
  end
  return standings, ranking
end

-- rank_members: where members stand on the window that find_window found; found.lists is who is curated, where that is known. Answers a table:
-- - standings, ranked_by: see find_standings
-- - curated, visible: what that follows from. visible.lowest is the lowest score that is shown; 0 for all above 0. visible.total is how many are shown,
--   if that `is_counted`
local function rank_members(found, asked, min_score, ties, ranking, around, is_counted)
  local visible = { ties = ties, ranking = ranking, around = around, lowest = min_score > 0 and min_score / found.scale or 0 }
  local curated = found.lists or read_curated(found.board)
  local scores = read_scores(found, curated, asked)
  local ranked = { visible = visible, curated = curated, standings = false, ranked_by = ranking }
  if is_counted then
    visible.total = count_shown(found, curated, visible.lowest)
  else
    note_gaps(curated, visible.lowest)
  end
  if found.key then
    ranked.standings, ranked.ranked_by = find_standings(found, curated, asked, scores, visible)
  else
    ranked.standings = { ranks = NOBODY, scores = NOBODY, higher = NOBODY }
  end
  return ranked
end

-- read_around: who stands around a member at these places, behind the pinned: up to `around` on either side of the member, and room for the curated ones
-- among them. Answers them as list_shown does, their ranks, and the place of the first one, all counted behind the pinned.
local function read_around(found, ranked, member, around)
  local curated, visible, standings = ranked.curated, ranked.visible, ranked.standings
  local room, pins = around + #curated.gaps, #curated.pins
  local at = standings.at and math.max(0, standings.at - room) or 0
  local last, head = standings.at and standings.at + room or standings.place + around - pins + #curated.gaps - 1, nil
  if standings.at then
    head = read_order(visible.order, at, last, visible.is_packed)
  elseif last >= 0 then
    head = read_head(found, visible.ties, last + 1)
  end
  local shown = list_shown(head or {}, curated, NOBODY, visible.lowest)
  local ranks, first, own = ranks_of(shown, 0, ranked.ranked_by), 1, 1
  if at == 0 then return shown, ranks, first end
  while shown[2 * own - 1] ~= member do
    own = own + 1
  end
  first = standings.place - pins - own + 1
  local shift = ranked.ranked_by == 'dense' and standings.ranks[1] - pins - ranks[own] or first - 1
  -- Who is equal to the first one may stand above it, too.
  local top, best = shown[2], ranked.ranked_by == 'competition' and count_higher(found, curated, read_number(shown[2])) + 1 - pins
  for i = 1, ranks and #ranks or 0 do
    ranks[i] = best and shown[2 * i] == top and best or ranks[i] + shift
  end
  return shown, ranks, first
end

-- add_neighbors: adds to a reply those who stand around the first one of the members asked for, itself among them, up to `around` on either side: each with
-- its score and rank. Adds them to those asked for, too.
local function add_neighbors(reply, found, ranked, asked, around)
  local shown, ranks, first = read_around(found, ranked, asked[1], around)
  local place, pins, scores, scale = ranked.standings.place, ranked.curated.pins, ranked.curated.scores, found.scale
  local at, count, before = #reply, #asked, #pins + first - 1
  for of = math.max(1, place - around), place + around do
    local i, member, rank = of - before, pins[of], of
    local score = member and text_of((scores[member] or 0) * scale) or shown[2 * i]
    if not member then
      member = shown[2 * i - 1]
      if ranks then rank = #pins + (ranks[i] or 0) end
      if member and scale ~= 1 then score = text_of(score * scale) end
    end
    if member then
      at, count = at + 3, count + 1
      reply[at - 2] = member
      reply[at - 1] = score
      reply[at], asked[count] = rank, member
    end
  end
end

-- add_moves: adds to a reply of record_standing where the members of whom an event of a batch was counted stood before, and where they stand after
-- it, see rank_members. Where dense ranks are not known of all of them, they are those of a competition, and the reply's ranked_by says so.
local function add_moves(reply, batch, before, after)
  local is_counted = {}
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then is_counted[batch.members[e]] = true end
  end
  for member in pairs(is_counted) do
    for _, side in ipairs({ before, after }) do
      if side.standings.scores[member] and side.ranked_by ~= reply[7] then reply[7] = side.ranked_by end
    end
  end
  for member, name in ipairs(batch.names) do
    if is_counted[member] then reply[#reply + 1] = name end
    for _, side in ipairs(is_counted[member] and { before, after } or {}) do
      local score = side.standings.scores[member]
      local rank = score and (side.ranked_by == reply[7] and side.standings.ranks[member] or side.standings.higher[member] + 1)
      reply[#reply + 1] = rank or ''
      reply[#reply + 1] = rank and text_of(score) or ''
    end
  end
end
