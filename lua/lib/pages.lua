-- pages: pages of a ranking, with hidden and pinned members.
-- @use order, ranking

-- add_page: calls `append` with member, score and rank of each place from `from` to `to`, counted from 1: the pinned ones, and then
-- those that are `shown` behind them, of whom the first has the place `first` behind the pinned.
local function add_page(curated, shown, first, from, to, append)
  local pins = curated.pins
  for place = from, math.min(to, #pins) do
    append(pins[place], curated.scores[pins[place]] or 0, place)
  end
  for place = math.max(from, #pins + 1), to do
    local entry = shown[place - #pins - first + 1]
    if entry then append(unpack(entry)) end
  end
end

-- add_tallies: puts what each member of a page did, by action, into the last of the five fields of its entry. The first entry begins at
-- `first` of the reply. One command, if there is anybody.
local function add_tallies(found, reply, first)
  local members = {}
  for at = first, #reply, 5 do
    members[#members + 1] = reply[at]
  end
  if #members == 0 then return end
  local tallies = redis.call('HMGET', found.key .. ':actions', unpack(members))
  for i = 1, #members do
    reply[first + 5 * i - 1] = tallies[i] or ''
  end
end

-- is_same_page: puts a digest of the page that a reply tells behind its version, which begin_reply put into its eleventh field, and answers whether
-- the reader has just that page: something was counted that does not show on it. It is made for who has a page, and so may ask again.
local function is_same_page(reply, known)
  if reply[11] == '' or known == '' then return false end
  local page = string.sub(redis.sha1hex(table.concat(reply, '\n', 3, 10) .. '\n' .. table.concat(reply, '\n', 12)), 1, 16)
  reply[11] = reply[11] .. '/' .. page
  return string.match(known, '/(.*)$') == page
end

-- read_lists: the hidden members of a board, and the pinned ones, see curate: those that are not hidden as well stand in their
-- order. Also is_hidden and place_of by member, and `last`, the greatest place. Layout 1 had a key for each list.
local function read_lists(board, clock)
  local is_hidden, place_of, hidden, pinned, last = {}, {}, {}, {}, 0
  local function note(member, hides, place)
    if hides then
      hidden[#hidden + 1], is_hidden[member] = member, true
    end
    if place > 0 then
      pinned[#pinned + 1], place_of[member], last = member, place, math.max(last, place)
    end
  end
  if clock.is_old and redis.call('EXISTS', board .. ':pinned', board .. ':hidden') > 0 then
    local members = redis.call('ZRANGE', board .. ':pinned', 0, -1, 'WITHSCORES')
    for i = 1, #members, 2 do
      note(members[i], false, tonumber(members[i + 1]))
    end
    for _, member in ipairs(redis.call('SMEMBERS', board .. ':hidden')) do
      note(member, true, 0)
    end
  elseif not clock.is_old then
    local members = redis.call('ZRANGE', curated_key(board), 0, -1, 'WITHSCORES')
    for i = 1, #members, 2 do
      local score = tonumber(members[i + 1])
      if not is_mark(members[i]) then note(members[i], score < 0, score < 0 and -1 - score or score) end
    end
  end
  return { hidden = hidden, pinned = pinned, is_hidden = is_hidden, place_of = place_of, last = last }
end

-- read_curated: who stands elsewhere than by the score on a board, see read_lists. Answers a table:
-- - members: the hidden ones and the pinned ones; is_moved: the same as a set
-- - pins: the pinned ones that are not hidden, in their order; pin_of: their places by member, without gaps
local function read_curated(board, clock)
  local lists = read_lists(board, clock)
  local members, pins, pin_of, is_moved = lists.hidden, {}, {}, lists.is_hidden
  for i = 1, #lists.pinned do
    local member = lists.pinned[i]
    if not is_moved[member] then
      pins[#pins + 1], pin_of[member] = member, #pins + 1
      members[#members + 1], is_moved[member] = member, true
    end
  end
  return { members = members, is_moved = is_moved, pins = pins, pin_of = pin_of }
end

-- count_shown: how many members of the board that find_window found are shown. Notes the gaps that curated ones leave, see note_gaps, and whether
-- nobody is shown for a score.
local function count_shown(found, curated, lowest)
  note_gaps(curated, lowest)
  if not found.key then return 0 end
  local bound = lowest > 0 and string.format('%.17g', lowest) or '(0'
  local shown = redis.call('ZCOUNT', found.key, bound, '+inf') - #curated.gaps
  found.is_empty = shown == 0
  return shown + #curated.pins
end

-- place_members: finds the places of the members whose standings need one, in an order: ranks are places where no two are equal, and the members
-- `around` the first one are found by its place. Answers whether the order has them all where their scores belong.
local function place_members(order, curated, asked, standings, ranking, around)
  for i = 1, ranking == 'ordinal' and #asked or math.min(around, 1) do
    local standing = standings[i]
    if standing and not curated.pin_of[asked[i]] then
      standing.place, standing.at = find_place(order, curated, asked[i], standing.score, standing.higher)
      if not standing.place then return false end
    end
  end
  return true
end

-- read_head: the first members of the board that find_window found, in the order of `ties` where that is kept. `is_unsure` tells
-- that it is not kept although the board wants it. `as_texts`: see read_order.
local function read_head(found, ties, depth, as_texts)
  if not found.key then return { members = {}, scores = {} } end
  local index, is_doubtful
  if ties ~= '' then
    index, is_doubtful = kept_index(found, found.key, ties)
  end
  local head = index and read_order(index, 0, depth - 1, true)
  if head and #head.members > 0 and not is_doubtful then return head end
  local plain = read_order(found.key, 0, depth - 1, false, as_texts)
  local is_right = head and #head.members == #plain.members
  for i = 1, is_right and #plain.members or 0 do
    is_right = is_right and head.scores[i] == tonumber(plain.scores[i])
  end
  if is_right then return head end
  plain.is_unsure = ties ~= ''
  return plain
end

-- rank_head: the members of a head that are shown, each as { member, score, rank }, see rank_each.
local function rank_head(head, curated, ranking, lowest)
  local shown = {}
  rank_each(head, curated, ranking, lowest, function(member, score, rank) shown[#shown + 1] = { member, score, rank } end)
  return shown
end

-- previous_ranks: the ranks by member of those that were among the first `depth` shown in the period before, and are wanted; nil when nothing sure
-- is known of them. One command: who stood deeper is not looked for, as in charts.
local function previous_ranks(found, curated, ties, ranking, lowest, depth, is_wanted)
  local key, is_packed, is_vouched = found.previous, false, not found.mark or found.is_vouched
  if ties ~= '' then
    local index, is_doubtful = kept_index(found, key, ties)
    if index and not is_doubtful and is_vouched then
      key, is_packed = index, true
    elseif ranking == 'ordinal' then
      return nil
    end
  end
  local to = depth + #curated.members
  local head = read_order(key, 0, to - 1, is_packed, true)
  -- A rolling board that is read to its end has its mark there. An order of ties without anybody may not have been kept.
  -- Nobody in the order: nobody was there, or it was not kept. Where no curated members were asked for, there is a command left.
  if is_packed and #head.members == 0 and not found.mark and #curated.members == 0 then
    head = read_order(found.previous, 0, 0, false)
    is_packed = #head.members > 0
    head.members = {}
  end
  local is_there = is_vouched and (not is_packed and not found.mark or #head.members == to or is_packed and #head.members > 0)
  for i = #head.members, 1, -1 do
    is_there = is_there or head.members[i] == found.mark
  end
  if not is_there then return nil end
  local ranks, left = {}, depth - #curated.pins
  for place = 1, #curated.pins do
    ranks[curated.pins[place]] = place
  end
  rank_each(head, curated, ranking, lowest, function(member, _, rank)
    if left <= 0 then return true end
    if is_wanted[member] then ranks[member] = rank end
    left = left - 1
  end)
  return ranks
end
