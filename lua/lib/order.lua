-- order: the order of a board's members, with ties.
-- @use curated, windows

-- is_enough: whether a member of this score is shown, by the lowest score that is; 0 for all above it.
local function is_enough(score, lowest) return score and (score > lowest or lowest > 0 and score == lowest) end

-- add_scanned: appends to a reply, of some entries of a sorted set as ZSCAN answers them, the members that are shown and not pinned: each
-- with id, score and what orders it. Those of an order of ties hold sort keys. Answers their ids.
local function add_scanned(reply, entries, curated, lowest, is_packed)
  local listed = {}
  for i = 1, #entries, 2 do
    local member, order = entries[i], tonumber(entries[i + 1])
    local score = is_packed and not is_mark(member) and unpack_score(order) or order
    if not is_mark(member) and not curated.is_moved[member] and is_enough(score, lowest) then
      reply[#reply + 1] = member
      reply[#reply + 1] = string.format('%.17g', score)
      reply[#reply + 1] = string.format('%.17g', order)
      listed[#listed + 1] = member
    end
  end
  return listed
end

-- kept_index: the key of an index of a board ("first", "last" or "distinct"); nil when the state says that writers do not keep it.
-- The second answer tells that the state does not say: layout 1 may have kept it for a part of the time only.
local function kept_index(found, key, index)
  local indexes = found.clock.state.indexes
  if not indexes then return key .. (index == 'distinct' and ':scores' or ':' .. index), true end
  local generation, options = string.match(indexes, '^(%d+):(.*)$')
  local option = index == 'distinct' and 'dense' or index
  if not string.find(' ' .. options .. ' ', ' ' .. option .. ' ', 1, true) then return nil end
  return index_key(key, index, generation), false
end

-- read_order: the members from `from` to `to` of a sorted set, from 0 and best first: a list of each member and its score, as Redis writes it. Those of
-- an order of ties are read out of its sort keys.
local function read_order(key, from, to, is_packed)
  local listed = redis.call('ZREVRANGE', key, number_arg(from), number_arg(to), 'WITHSCORES')
  local last = is_packed and #listed or 0
  -- Marks stand behind all members.
  while last > 0 and is_mark(listed[last - 1]) do
    last = last - 2
  end
  local known = SCORES.of
  for i = 2, last, 2 do
    listed[i] = known[listed[i]] or score_of(listed[i])
  end
  return listed
end

-- read_scores: reads from the board that find_window found, in one command, the mark of a rolling window, the scores of curated
-- members and those of `others`. Says in `found.complete` what the mark tells. Answers the others' scores, numbers or false;
-- `curated.scores` are theirs, by member.
local function read_scores(found, curated, others)
  local names, count = others, #curated.members
  if found.mark or count > 0 then
    names = { found.mark }
    for _, more in ipairs({ curated.members, others }) do
      for i = 1, #more do
        names[#names + 1] = more[i]
      end
    end
  end
  local before = #names - #others
  local scores = found.key and #names > 0 and redis.call('ZMSCORE', found.key, unpack(names)) or {}
  if found.is_current then
    local asked = found.asked
    found.complete = is_whole(found.board, found.clock, asked.window, asked.unit, asked.length, found.period, scores[1])
  elseif found.mark then
    found.complete = scores[1] and true or false
    if not found.complete then
      found.key, scores = nil, {}
    end
  end
  curated.scores = count > 0 and {} or NOBODY
  for i = 1, count do
    curated.scores[curated.members[i]] = tonumber(scores[before - count + i] or nil)
  end
  local theirs, known = before > 0 and {} or scores, NUMBERS.of
  for i = 1, #others do
    local text = scores[before + i]
    theirs[i] = text and (known[text] or read_number(text)) or false
  end
  return theirs
end

-- find_order: the sorted set in whose order these members of a board stand, and whether its scores are sort keys: the order of
-- ties, where it is kept and knows them all by their scores; else the board itself.
local function find_order(found, ties, members, scores)
  local call, index, is_doubtful = redis.call, nil, false
  if ties ~= '' then
    index, is_doubtful = kept_index(found, found.key, ties)
  end
  if not index or #members == 0 then return found.key, false end
  if is_doubtful and call('ZCARD', index) ~= call('ZCARD', found.key) then return found.key, false end
  local sort_keys = call('ZMSCORE', index, unpack(members))
  for i = 1, #members do
    if not sort_keys[i] or read_number(score_of(sort_keys[i])) ~= scores[i] then return found.key, false end
  end
  return index, true
end

-- gaps_above: how many of the gaps (see count_shown) have more than a score.
local function gaps_above(gaps, score)
  local low, high = 0, #gaps
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if gaps[middle] > score then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

-- find_place: where a member of this score is shown, counted from 1, and its place in the order, from 0. The first is nil when the
-- order does not have it where its score belongs. `higher` is how many are shown above it with more.
local function find_place(order, curated, member, score, higher)
  local at, gaps, equal = redis.call('ZREVRANK', order, member), gaps_above(curated.gaps, score), curated.ties[score]
  if not at or at - gaps + #curated.pins < higher then return nil end
  for i = 1, equal and #equal or 0 do
    local theirs = redis.call('ZREVRANK', order, equal[i])
    if theirs and theirs < at then gaps = gaps + 1 end
  end
  return at - gaps + #curated.pins + 1, at
end

-- score_in_place: the score of who is shown in a place behind the pinned members, counted from 1; nil when nobody is. It reads as
-- many members as there are curated ones, and one.
local function score_in_place(found, curated, place)
  local window, remaining = read_order(found.key, place - 1, place - 1 + #curated.gaps, false), {}
  local first, last = read_number(window[2]), read_number(window[#window])
  -- Of the curated members that stand equal to the first one, those that are not read stand before it.
  local before = first and gaps_above(curated.gaps, first) + #(curated.ties[first] or {})
  for i = 1, #window, 2 do
    local score = read_number(window[i + 1])
    if not curated.is_moved[window[i]] then
      remaining[#remaining + 1] = score
    elseif score == first then
      before = before - 1
    end
  end
  -- Where all are equal, the curated ones among them may also stand behind.
  if first and last == first and #window / 2 > #curated.gaps then return first end
  return first and remaining[before + 1]
end

-- note_gaps: notes in `curated` the gaps that its members leave where they would stand by their scores: `gaps` are those scores, the highest
-- first; `ties` are the members by score.
local function note_gaps(curated, lowest)
  curated.gaps, curated.ties = NOBODY, NOBODY
  if #curated.members == 0 then return end
  local gaps, ties = {}, {}
  for i = 1, #curated.members do
    local member = curated.members[i]
    local score = curated.scores[member]
    if is_enough(score, lowest) then
      gaps[#gaps + 1] = score
      ties[score] = ties[score] or {}
      table.insert(ties[score], member)
    end
  end
  table.sort(gaps, function(one, other) return one > other end)
  curated.gaps, curated.ties = gaps, ties
end
