-- visible_ranking: which members of a sorted set are shown, and in which order. Pinned members come first, in the order of their
-- pinning. Then come those that are not hidden and have at least min_score ("5", or "(0" for more than 0), best first.
-- ties is 'first', 'last' or '' (ties stand in the order of their ids). ranking is 'ordinal' (1 2 3 4), 'competition'
-- (1 2 2 4) or 'dense' (1 2 2 3).
--
-- A member's position is where it stands, counted from 1. Answers the total of members shown, and functions:
-- - position_of(member): its position and score; nil when it is not shown
-- - rank_of(position, score)
-- - higher_than(position, score): how many stand above it with a higher score
-- - page(from, count): a list of { member, score, rank }
--
-- Hidden and pinned members are looked up one by one, at 0.5 µs each, so there must not be many.
local function visible_ranking(key, hidden, pinned, ties, ranking, min_score)
  local call, format = redis.call, string.format
  -- The order of ties may have been kept for a part of the time only. When that shows, ties stand as without it.
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
  local bound, above = tonumber((string.gsub(min_score, '^%(', ''))), string.sub(min_score, 1, 1) == '('
  local function is_enough(score) return score and (score > bound or score == bound and not above) end

  local pins, position_of_pin, moved, is_moved = {}, {}, {}, {}
  for _, member in ipairs(hidden) do
    moved[#moved + 1], is_moved[member] = member, true
  end
  for _, member in ipairs(pinned) do
    if not is_moved[member] then
      pins[#pins + 1], position_of_pin[member] = member, #pins + 1
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
  local in_order = call('ZCOUNT', key, min_score, '+inf')

  local function higher_than(position, score)
    if position <= #pins then return position - 1 end
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
  local function rank_of(position, score)
    if ranking == 'ordinal' or position <= #pins then return position end
    return ranking == 'dense' and #pins + distinct_above(score) + 1 or higher_than(position, score) + 1
  end
  local function position_of(member)
    local score = tonumber(call('ZSCORE', key, member) or nil)
    if position_of_pin[member] then return position_of_pin[member], score or 0 end
    if is_moved[member] or not is_enough(score) then return nil end
    local order, at = ordered, rank_on(member, score)
    if ordered ~= order then find_gaps() end
    local position = at + 1 + #pins
    for i = 1, #gaps do
      if gaps[i] < at then position = position - 1 end
    end
    return position, score
  end

  local function page(from, count)
    local shown, position, wanted = {}, from, count
    while count > 0 and position <= #pins do
      shown[#shown + 1] = { pins[position], tonumber(call('ZSCORE', key, pins[position]) or 0), position }
      position, count = position + 1, count - 1
    end
    local at = position - #pins - 1
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
        return page(from, wanted)
      end
      members = others
    end
    for i = 1, #members do
      if count > 0 and not is_moved[members[i]] then
        local score = tonumber(scores[i])
        if not rank then
          rank = rank_of(position, score)
        elseif ranking == 'ordinal' or ranking == 'competition' and score ~= last then
          rank = position
        elseif score ~= last then
          rank = rank + 1
        end
        shown[#shown + 1] = { members[i], score, rank }
        position, count, last = position + 1, count - 1, score
      end
    end
    return shown
  end

  return {
    total = in_order - #gaps + #pins,
    pinned = #pins,
    position_of = position_of,
    rank_of = rank_of,
    higher_than = higher_than,
    page = page,
  }
end
