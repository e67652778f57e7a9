-- view: what of a sorted set is shown, and in which order: pinned members first, in the order of their pinning; then who has
-- at least the least score ("5", or "(0" for more than 0) and is not hidden, best first. ties is 'first', 'last' or ''
-- (equals stand in the order of their ids), ranking 'ordinal' (1 2 3 4), 'competition' (1 2 2 4) or 'dense' (1 2 2 3).
--
-- Its place is where a member stands, counted from 1. Answers the total of members shown and functions: place_of a member
-- (nil when it is not shown; and its score), rank_of a place and its score, higher_than a place and its score (how many stand
-- above that have more), page from a place on (a list of { member, score, rank }). Members of the lists `hidden` and `pinned`
-- are looked up one by one, so there must not be many: 0.5 µs each.
local function view(key, hidden, pinned, ties, ranking, least)
  local call, format = redis.call, string.format
  -- The order of equals may have been kept for a part of the time only. When that shows, equals stand as without it.
  local ordered = ties ~= '' and key .. ':' .. ties or key
  if ordered ~= key and call('ZCARD', ordered) ~= call('ZCARD', key) then ordered = key end
  -- Where a member of this score stands on the set, from 0.
  local function rank_on(member, score)
    if ordered ~= key then
      local text, at = format('%.17g', score), call('ZREVRANK', ordered, member)
      if at and at >= call('ZCOUNT', key, '(' .. text, '+inf') and at < call('ZCOUNT', key, text, '+inf') then return at end
      ordered = key
    end
    return call('ZREVRANK', key, member)
  end
  local bound, above = tonumber((string.gsub(least, '^%(', ''))), string.sub(least, 1, 1) == '('
  local function is_enough(score) return score and (score > bound or score == bound and not above) end

  local pins, place_of_pin, moved, is_moved = {}, {}, {}, {}
  for _, member in ipairs(hidden) do
    moved[#moved + 1], is_moved[member] = member, true
  end
  for _, member in ipairs(pinned) do
    if not is_moved[member] then
      pins[#pins + 1], place_of_pin[member] = member, #pins + 1
      moved[#moved + 1], is_moved[member] = member, true
    end
  end
  -- Where those that stand elsewhere would be: the ranks and scores to leave out.
  local gaps, gap_scores
  local function find_gaps()
    local order = ordered
    gaps, gap_scores = {}, {}
    local scores = #moved > 0 and call('ZMSCORE', key, unpack(moved))
    for i = 1, #moved do
      local score = scores[i] and tonumber(scores[i])
      if is_enough(score) then
        gaps[#gaps + 1], gap_scores[#gap_scores + 1] = rank_on(moved[i], score), score
      end
    end
    table.sort(gaps)
    if ordered ~= order then find_gaps() end
  end
  find_gaps()
  local in_order = call('ZCOUNT', key, least, '+inf')

  local function higher_than(place, score)
    if place <= #pins then return place - 1 end
    local higher = call('ZCOUNT', key, format('(%.17g', score), '+inf') + #pins
    for i = 1, #gap_scores do
      if gap_scores[i] > score then higher = higher - 1 end
    end
    return higher
  end
  local function distinct_above(score)
    local text, distinct = format('(%.17g', score), 0
    -- They may have been kept for a part of the time only.
    if call('ZSCORE', key .. ':scores', format('%.17g', score)) then
      distinct = call('ZCOUNT', key .. ':scores', text, '+inf')
    else
      local top = call('ZREVRANGEBYSCORE', key, '+inf', text, 'WITHSCORES', 'LIMIT', 0, 1)
      while #top > 0 do
        distinct = distinct + 1
        top = call('ZREVRANGEBYSCORE', key, '(' .. top[2], text, 'WITHSCORES', 'LIMIT', 0, 1)
      end
    end
    -- Scores that nobody has but those who stand elsewhere.
    local elsewhere = {}
    for i = 1, #gap_scores do
      local gap = gap_scores[i]
      if gap > score then elsewhere[gap] = (elsewhere[gap] or 0) + 1 end
    end
    for gap, holders in pairs(elsewhere) do
      local exactly = format('%.17g', gap)
      if call('ZCOUNT', key, exactly, exactly) == holders then distinct = distinct - 1 end
    end
    return distinct
  end
  local function rank_of(place, score)
    if ranking == 'ordinal' or place <= #pins then return place end
    return ranking == 'dense' and #pins + distinct_above(score) + 1 or higher_than(place, score) + 1
  end
  local function place_of(member)
    local score = tonumber(call('ZSCORE', key, member) or nil)
    if place_of_pin[member] then return place_of_pin[member], score or 0 end
    if is_moved[member] or not is_enough(score) then return nil end
    local order, at = ordered, rank_on(member, score)
    if ordered ~= order then find_gaps() end
    local place = at + 1 + #pins
    for i = 1, #gaps do
      if gaps[i] < at then place = place - 1 end
    end
    return place, score
  end

  local function page(from, count)
    local shown, place, asked = {}, from, count
    while count > 0 and place <= #pins do
      shown[#shown + 1] = { pins[place], tonumber(call('ZSCORE', key, pins[place]) or 0), place }
      place, count = place + 1, count - 1
    end
    local at = place - #pins - 1
    for i = 1, #gaps do
      if gaps[i] <= at then at = at + 1 end
    end
    local to = math.min(at + count + #gaps, in_order) - 1
    if count <= 0 or to < at then return shown end
    local members, scores, rank, last = {}, {}, nil, nil
    local both = call('ZREVRANGE', key, at, to, 'WITHSCORES')
    for i = 1, #both, 2 do
      members[#members + 1], scores[#scores + 1] = both[i], both[i + 1]
    end
    if ordered ~= key then
      local others = call('ZREVRANGE', ordered, at, to)
      local their_scores = #others == #members and call('ZMSCORE', key, unpack(others)) or {}
      local is_right = #others == #members
      for i = 1, #members do
        is_right = is_right and their_scores[i] == scores[i]
      end
      if not is_right then
        ordered = key
        find_gaps()
        return page(from, asked)
      end
      members = others
    end
    for i = 1, #members do
      if count > 0 and not is_moved[members[i]] then
        local score = tonumber(scores[i])
        if not rank then
          rank = rank_of(place, score)
        elseif ranking == 'ordinal' or ranking == 'competition' and score ~= last then
          rank = place
        elseif score ~= last then
          rank = rank + 1
        end
        shown[#shown + 1] = { members[i], score, rank }
        place, count, last = place + 1, count - 1, score
      end
    end
    return shown
  end

  return {
    total = in_order - #gaps + #pins,
    pinned = #pins,
    place_of = place_of,
    rank_of = rank_of,
    higher_than = higher_than,
    page = page,
  }
end
