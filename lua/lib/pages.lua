-- pages: pages of a ranking, with hidden and pinned members.
-- @use order, ranking

-- page_entries: the members of a page, each with its score, for a reply of top.
local function page_entries(page, scale)
  local shown, first, last = page.shown, 2 * page.first - 1, 2 * page.last
  for i = first + 1, scale ~= 1 and last or 0, 2 do
    shown[i] = string.format('%.17g', shown[i] * scale)
  end
  return unpack(shown, first, last)
end

-- page_ranks: the ranks of the members of a page, as words; empty where they are their places.
local function page_ranks(page)
  local ranks, words, before, texts = page.ranks, {}, page.first - 1, TEXTS.of
  if not ranks then return '' end
  for place = page.first, page.last do
    local rank = ranks[place]
    words[place - before] = texts[rank] or text_of(rank)
  end
  return table.concat(words, ' ')
end

-- previous_ranks: the ranks of the members of a page in the period before, as words: 0 for who is not among those that read_earlier answered.
local function previous_ranks(page, earlier)
  local shown, words, at, word_of, texts = page.shown, {}, 0, {}, TEXTS.of
  for i = 2 * page.first - 1, 2 * page.last, 2 do
    at = at + 1
    words[at], word_of[shown[i]] = '0', at
  end
  local members, step, ranked = earlier.members, earlier.step, earlier.ranks
  for i = 1, math.min(step * earlier.depth, #members), step do
    local word = word_of[members[i]]
    if word then
      local place = (i - 1) / step + 1
      local rank = ranked and ranked[place] or place
      words[word] = texts[rank] or text_of(rank)
    end
  end
  return table.concat(words, ' ')
end

-- members_of: the members of a page.
local function members_of(page)
  local members = {}
  for place = page.first, page.last do
    members[#members + 1] = page.shown[2 * place - 1]
  end
  return members
end

-- read_tallies: what each member of a page did, by action, a line each. One command, if there is anybody.
local function read_tallies(found, page)
  local members = members_of(page)
  if #members == 0 then return '' end
  local tallies = redis.call('HMGET', actions_key(found.key), unpack(members))
  for i = 1, #members do
    tallies[i] = tallies[i] or ''
  end
  return table.concat(tallies, '\n')
end

-- is_same_page: puts a digest of a page behind the version of a reply of top, which begin_reply put into its eleventh field, and answers whether
-- the reader has just that page: something was counted that does not show on it. It is made for who has a page, and so may ask again.
local function is_same_page(reply, known, scale)
  if reply[11] == '' or known == '' then return false end
  local listed, texts = {}, TEXTS.of
  for i = 3, #reply do
    local field = reply[i]
    listed[i - 2] = texts[field] or type(field) == 'number' and text_of(field) or field
  end
  listed[9], listed[#listed + 1] = '', text_of(scale)
  local digest = string.sub(redis.sha1hex(table.concat(listed, '\n')), 1, 16)
  reply[11] = reply[11] .. '/' .. digest
  return string.match(known, '/(.*)$') == digest
end

-- count_shown: how many members of the board that find_window found are shown. Notes the gaps that curated ones leave, see note_gaps, and whether
-- nobody is shown for a score.
local function count_shown(found, curated, lowest)
  note_gaps(curated, lowest)
  if not found.key then return 0 end
  local shown = redis.call('ZCOUNT', found.key, lowest > 0 and text_of(lowest) or '(0', '+inf') - #curated.gaps
  found.is_empty = shown == 0
  return shown + #curated.pins
end

-- place_members: finds the places of the members whose standings need one, in an order: ranks are places where no two are equal, and the members
-- `around` the first one are found by its place. Of some the place in the order may be known, by member. Answers whether the order has them all where
-- their scores belong.
local function place_members(order, curated, asked, standings, ranking, around, places)
  local call, ranks, scores, higher, pin_of = redis.call, standings.ranks, standings.scores, standings.higher, curated.pin_of
  local is_ordinal = ranking == 'ordinal'
  local last = is_ordinal and #asked or math.min(around, 1)
  if #curated.members == 0 then
    for i = 1, last do
      local above = higher[i]
      if above then
        local at = places[asked[i]] or call('ZREVRANK', order, asked[i]) or -1
        if at < above then return false end
        if is_ordinal then ranks[i] = at + 1 end
        if i == 1 then
          standings.place, standings.at = at + 1, at
        end
      end
    end
    return true
  end
  for i = 1, last do
    local member = asked[i]
    if scores[i] and not pin_of[member] then
      local place, at = find_place(order, curated, member, scores[i], higher[i])
      if not place then return false end
      if is_ordinal then ranks[i] = place end
      if i == 1 then
        standings.place, standings.at = place, at
      end
    end
  end
  return true
end

-- read_head: the first members of the board that find_window found, see read_order, in the order of `ties` where that is kept. The second answer
-- tells that it is not kept although the board wants it.
local function read_head(found, ties, depth)
  local index, is_doubtful
  if ties ~= '' then
    index, is_doubtful = kept_index(found, found.key, ties)
  end
  local head = index and read_order(index, 0, depth - 1, true)
  if head and #head > 0 and not is_doubtful then return head, false end
  local plain = read_order(found.key, 0, depth - 1, false)
  local is_right = head and #head == #plain
  for i = 2, is_right and #plain or 0, 2 do
    is_right = is_right and read_number(head[i]) == read_number(plain[i])
  end
  if is_right then return head, false end
  return plain, ties ~= ''
end

-- list_shown: of members that were read (see read_order) those that are shown, behind some pinned ones.
local function list_shown(listed, curated, pins, lowest)
  local last = #listed
  while last > 0 and not is_enough(read_number(listed[last]), lowest) do
    listed[last], listed[last - 1], last = nil, nil, last - 2
  end
  if #curated.members == 0 then return listed end
  local shown = {}
  for place = 1, #pins do
    shown[2 * place - 1], shown[2 * place] = pins[place], text_of(curated.scores[pins[place]] or 0)
  end
  for i = 1, last, 2 do
    if not curated.is_moved[listed[i]] then
      shown[#shown + 1] = listed[i]
      shown[#shown + 1] = listed[i + 1]
    end
  end
  return shown
end

-- read_earlier: who was among the first `depth` shown in the period before; nil when nothing sure is known of them. One command: who stood deeper is
-- not looked for, as in charts. Answers a table:
-- - members, step: a list in which they stand by place, each so many further than the one before
-- - depth: how many of them count; ranks: see ranks_of
local function read_earlier(found, curated, ties, ranking, lowest, depth)
  local key, is_packed, is_vouched = found.previous, false, not found.mark or found.is_vouched
  if ties ~= '' then
    local index, is_doubtful = kept_index(found, key, ties)
    if index and not is_doubtful and is_vouched then
      key, is_packed = index, true
    elseif ranking == 'ordinal' then
      return nil
    end
  end
  -- Scores take Redis longer than members.
  if ranking == 'ordinal' and not is_packed and not found.mark and #curated.members == 0 then
    local least = lowest > 0 and text_of(lowest) or '(0'
    local members = redis.call('ZREVRANGEBYSCORE', key, '+inf', least, 'LIMIT', '0', number_arg(depth))
    return { members = members, step = 1, depth = depth }
  end
  local to = 2 * (depth + #curated.members)
  local head = read_order(key, 0, to / 2 - 1, is_packed)
  -- A rolling board that is read to its end has its mark there. An order of ties without anybody may not have been kept.
  -- Nobody in the order: nobody was there, or it was not kept. Where no curated members were asked for, there is a command left.
  if is_packed and #head == 0 and not found.mark and #curated.members == 0 then is_packed = #read_order(found.previous, 0, 0, false) > 0 end
  local is_there = is_vouched and (not is_packed and not found.mark or #head == to or is_packed and #head > 0)
  for i = is_there and 0 or #head - 1, 1, -2 do
    is_there = is_there or head[i] == found.mark
  end
  if not is_there then return nil end
  local pins = curated.pins
  local shown = list_shown(head, curated, pins, lowest)
  return { members = shown, step = 2, depth = math.max(depth, #pins), ranks = ranks_of(shown, #pins, ranking) }
end
