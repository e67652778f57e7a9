-- standings: where members stand, and their neighbours.
-- @use curated, order, pages, ranking

-- count_between: finds in `above`, by score, how many members have more than each of some scores, the lowest first: it is known of the first one and of the
-- last. Where few members lie between these, they are read, and their places noted, if `places` are wanted; else the one in the middle is counted.
local function count_between(found, scores, first, last, above, places)
  if last - first < 2 then return end
  local from, till = above[scores[last]], above[scores[first]]
  -- Three members are read in the time of a count.
  if till - from > 3 * (last - first - 1) then
    local middle = math.floor((first + last) / 2)
    above[scores[middle]] = count_more(found, scores[middle])
    count_between(found, scores, first, middle, above, places)
    return count_between(found, scores, middle, last, above, places)
  end
  local listed, latest, known = redis.call('ZREVRANGE', found.key, number_arg(from), number_arg(till - 1), 'WITHSCORES'), nil, NUMBERS.of
  for i = 1, #listed, 2 do
    local score = known[listed[i + 1]] or read_number(listed[i + 1])
    if score ~= latest then
      above[score], latest = from, score
    end
    if places then places[listed[i]] = from end
    from = from + 1
  end
end

-- count_scores: how many are shown above those of each of some scores, the lowest first, with more or pinned; by score. See count_between.
local function count_scores(found, curated, scores, places)
  local above, count = {}, #scores
  for i = 1, count, math.max(1, count - 1) do
    above[scores[i]] = count_more(found, scores[i])
  end
  count_between(found, scores, 1, count, above, places)
  for i = 1, #curated.members > 0 and count or 0 do
    above[scores[i]] = shown_above(curated, scores[i], above[scores[i]])
  end
  return above
end

-- read_close: adds to `places` those in an order, from 0 and by member, of those asked for who are equal and close together: they stand below all that have
-- more, and above the next ones that are asked for, or the end. One command for those of scores that follow each other, where it reads few others; none where
-- nobody but the one who is asked for can stand there. An order of ties is asked all the same: it is to be right before it is believed.
local function read_close(visible, distinct, higher_of, asked_for, one_of, places)
  local till, first, last = visible.total, nil, nil
  for i = 1, #distinct + 1 do
    local score = distinct[i]
    local from = score and higher_of[score]
    local one = score and one_of[score]
    local is_known = from and places[one]
    if from and till == from + 1 and not visible.is_packed then
      places[one] = from
    elseif from and till and till - from <= 3 * asked_for[score] and not is_known then
      first, last = from, last or till - 1
    elseif first and not is_known then
      local members = redis.call('ZREVRANGE', visible.order, number_arg(first), number_arg(last))
      for at = 1, #members do
        places[members[at]] = first + at - 1
      end
      first, last = nil, nil
    end
    till = from
  end
end

-- list_asked: the scores by which those asked for are shown, as a list, with false for who is not. Also the different scores of those who are not curated, the lowest
-- first; by score how many of them are asked for, and one of them; and where an order of ties may know them, all of them as a list, and their scores.
local function list_asked(curated, asked, scores, visible)
  local shown, distinct, asked_for, one_of, is_moved, lowest = {}, {}, {}, {}, curated.is_moved, visible.lowest
  local has_ties = visible.ties ~= ''
  local members, theirs = has_ties and {} or NOBODY, has_ties and {} or NOBODY
  for i = 1, #asked do
    local member, score = asked[i], scores[i]
    if is_moved[member] then
      shown[i] = curated.pin_of[member] and (curated.scores[member] or 0) or false
    elseif not score or score < lowest or score <= 0 and lowest == 0 then
      shown[i] = false
    else
      local count = asked_for[score]
      if not count then
        distinct[#distinct + 1], one_of[score] = score, member
      end
      shown[i], asked_for[score] = score, (count or 0) + 1
      if has_ties then
        members[#members + 1], theirs[#theirs + 1] = member, score
      end
    end
  end
  table.sort(distinct)
  return shown, distinct, asked_for, one_of, members, theirs
end

-- find_standings: where members stand, as lists in their order, with false for who is not shown: ranks, scores, and `higher`, how many stand above
-- with more. `place` and `at` are those of the first one, see place_members. Also answers the kind of the ranks: dense ones need their index,
-- and are those of a competition without it.
local function find_standings(found, curated, asked, scores, visible)
  local ranks, higher, places, pin_of, ranking = {}, {}, {}, curated.pin_of, visible.ranking
  local shown, distinct, asked_for, one_of, members, theirs = list_asked(curated, asked, scores, visible)
  visible.order, visible.is_packed = find_order(found, visible.ties, members, theirs)
  local needs_places = ranking == 'ordinal' and #curated.members == 0
  local higher_of = count_scores(found, curated, distinct, needs_places and not visible.is_packed and places)
  for i = 1, #asked do
    local pin, score = pin_of[asked[i]], shown[i]
    local above = pin and pin - 1 or score and higher_of[score]
    ranks[i], higher[i] = above and above + 1, above
  end
  local standings = { ranks = ranks, scores = shown, higher = higher, place = pin_of[asked[1]] }
  local dense = ranking == 'dense' and dense_ranks(found, curated, distinct)
  if ranking == 'dense' and not dense then ranking = 'competition' end
  for i = 1, dense and #asked or 0 do
    if shown[i] and not pin_of[asked[i]] then ranks[i] = dense[shown[i]] end
  end
  if needs_places then read_close(visible, distinct, higher_of, asked_for, one_of, places) end
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
local function rank_members(found, asked, around, is_counted)
  local ties, ranking, least = found.asked.ties, found.asked.ranking, found.asked.min_score
  local visible = { ties = ties, ranking = ranking, around = around, lowest = least > 0 and least / found.scale or 0 }
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

-- settle_ranks: makes the ranks of members that are listed from a place in the middle those of the whole ranking. Answers where among them a member is.
local function settle_ranks(found, ranked, member, shown, ranks)
  local standings, own = ranked.standings, 1
  while shown[2 * own - 1] ~= member do
    own = own + 1
  end
  local shift = ranked.ranked_by == 'dense' and standings.ranks[1] - ranks[own] or standings.place - own
  -- A member equal to the first one may stand above it, too.
  local top, best = shown[2], ranked.ranked_by == 'competition' and count_higher(found, ranked.curated, read_number(shown[2])) + 1
  for i = 1, ranks and #ranks or 0 do
    ranks[i] = best and shown[2 * i] == top and best or ranks[i] + shift
  end
  return own
end

-- page_around: a page (see page_ranks) of those who stand around a member, itself among them, up to `around` on either side, and the
-- place of the first one. It reads room for the curated ones among them.
local function page_around(found, ranked, member, around)
  local curated, visible, standings = ranked.curated, ranked.visible, ranked.standings
  local room, pins, place = around + #curated.gaps, curated.pins, standings.place
  local at = standings.at and math.max(0, standings.at - room) or 0
  local last, head = standings.at and standings.at + room or place + around - #pins + #curated.gaps - 1, nil
  if standings.at then
    head = read_order(visible.order, at, last, visible.is_packed)
  elseif last >= 0 then
    head = read_head(found, visible.ties, last + 1)
  end
  -- Who is read from the first place stands behind the pinned. Else more stand between than are asked for.
  if at > 0 then pins = NOBODY end
  local shown = list_shown(head or {}, curated, pins, visible.lowest)
  local ranks, before, from = ranks_of(shown, #pins, ranked.ranked_by), 0, math.max(1, place - around)
  if at > 0 then before = place - settle_ranks(found, ranked, member, shown, ranks) end
  return { shown = shown, ranks = ranks, first = from - before, last = math.min(place + around - before, #shown / 2) }, from
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
