-- event_now: counting one event of now as planned, unread where that is exact.
-- @use fading_boards, ids, indexes, limits, planning, tallies, values

-- add_indexed: adds an event of now to the scores of a member on so many boards, unread, and notes in c.added on how many. Answers the scores as texts; nil
-- where the member was not there, or a sum is no short number. One whom an undo leaves nothing goes.
local function add_indexed(c, keys, count, member, worth)
  -- Room for what is usual: tables grow by being copied.
  local scores = { '', '', '', '' }
  for i = 1, count do
    local sum = redis.call('ZINCRBY', keys[i], worth, member)
    c.added = i
    if sum == worth or sum == '0' and not c.undoes or #sum > 14 then return nil end
    if sum == '0' then redis.call('ZREM', keys[i], member) end
    scores[i] = sum
  end
  return scores
end

-- read_sums: what a member has on the boards of a plan, and what it has there with an event of now. That is read where it is worth a fraction,
-- which cannot be taken back exactly, c.is_new, or distinct scores are kept. nil where nothing is left of a sum but by an undo, and where the member is
-- not there, unless it is new and has room: on a board with indexes these tell that.
local function read_sums(c, member, delta)
  local keys, old, new, may_be_new = c.plan.keys, {}, {}, c.is_new or not c.plan.orders and not c.undoes
  for i = 1, #keys do
    old[i] = tonumber(redis.call('ZSCORE', keys[i], member) or nil) or false
    if not (old[i] or may_be_new and has_room(c, i)) then return nil end
    new[i] = round_decimals((old[i] or 0) + delta)
    if new[i] == 0 and not c.undoes then return nil end
  end
  return old, new
end

-- put_sums: gives a member its sums of read_sums. Answers them as texts.
local function put_sums(c, member, old, new)
  local scores = {}
  c.put = {}
  for i = 1, #new do
    scores[i] = text_of(new[i])
    replace_score(c, c.plan.keys[i], member, new[i] ~= 0 and scores[i], old[i])
  end
  return scores
end

-- place_indexed: gives a member its places in so many orders of ties, by its scores there and one sequence number, or one for each after an undo, which
-- read all orders, as a new member does. Else the last one was not read, so it is written first. Answers whether the member was in it.
local function place_indexed(c, orders, count, member, scores, sequence, sequences)
  local ties, score, number, place, is_last_read = c.plan.ties, nil, nil, '', sequences or c.is_new
  for i = count, 1, -1 do
    local number_here = sequences and sequences[i] or sequence
    if scores[i] ~= score or number_here ~= number then
      score, number = scores[i], number_here
      place = string.format('%.17g', pack_sort_key(score + 0, number, ties))
    end
    if score == '0' then
      redis.call('ZREM', orders[i], member)
    elseif i < count or is_last_read then
      redis.call('ZADD', orders[i], place, member)
    elseif redis.call('ZADD', orders[i], 'XX', 'CH', place, member) == 0 then
      return false
    end
  end
  return true
end

-- tallies_with: what a member did on so many boards of a plan that count actions, with an event of now; nil where more must be known. c.is_new tells whether
-- it did nothing yet on any.
local function tallies_with(c, counted, member, delta, action, times)
  -- Room for what is usual: tables grow by being copied.
  local call, keys, tallies = redis.call, c.plan.tallies, { '', '' }
  for i = 1, counted do
    local stored = call('HGET', keys[i], member)
    if not stored then
      if c.undoes or not call('HGET', keys[i], '\0') then return nil end
      -- Beside the mark. On an activity log these are all that there is.
      if not c.plan.has_scores and call('HLEN', keys[i]) > most_members(c, 'd') then return nil end
      c.is_new = true
    end
    tallies[i] = tally(stored, action, times, delta, true)
  end
  return tallies
end

-- read_places: of an event of now whether all orders of ties are there that are not seen to be when they are written. Answers the places of its member in
-- those of periods, where it is tracked; nil where an order is not there. c.is_new tells whether it is new in the first one, that of the shortest period.
local function read_places(c, member)
  local plan, entry = c.plan, c.entry
  local orders, places, most_places = plan.orders, {}, entry and plan.units or 1
  local last = c.undoes and #orders or math.max(#orders - 1, entry and plan.units or 0)
  for i = 1, #orders do
    local is_there
    if i > last and not c.is_new then break end
    if i <= most_places then
      is_there, places[i] = unpack(redis.call('ZMSCORE', orders[i], '\0', member))
      if i == 1 and not places[1] and not c.undoes then c.is_new = true end
    else
      is_there = redis.call('ZSCORE', orders[i], '\0')
    end
    if not is_there then return nil end
  end
  return places
end

-- fade_now: counts an event of now on the board of its plan's half-life. Answers whether nothing is left to do,
-- which is rarely otherwise. This sum cannot be taken back exactly, so nothing is written after it that may fail.
local function fade_now(c, member, delta, at)
  local plan = c.plan
  local key, value = plan.fading, fading_value(plan, delta, at)
  local sum = redis.call('ZINCRBY', key, string.format('%.17g', value), member) + 0
  if sum ~= value and math.abs(sum) >= math.abs(value) * 1e-13 then return true end
  c.faded = { key = key, value = value, name = string.match(key, '([^:]+):%d+$'), sum = sum }
  return false
end

-- read_indexed: reads what index_now is to know before it writes: what the member did, by board; its places in orders of ties, see read_places; what changes on
-- boards of decaying windows, see read_fades; its scores, old and new, where they are read, see read_sums. nil where more must be known.
local function read_indexed(c, counted, member, delta, at, action)
  local plan, entry, places, fades, old, new = c.plan, c.entry, nil, nil, nil, nil
  local times = not entry and 1 or c.undoes and -entry.times or entry.times
  local tallies = tallies_with(c, counted, member, delta, action, times)
  if not tallies then return nil end
  if plan.ties then
    places = read_places(c, member)
    if not places then return nil end
  end
  if plan.fading ~= '' or plan.has_more then
    fades = read_fades(c, member, delta, at, action, times)
    if not fades then return nil end
  end
  if plan.has_scores and (c.is_new or delta % 1 ~= 0 or plan.distinct) then
    old, new = read_sums(c, member, delta)
    if not old then return nil end
  end
  return tallies, places, fades, old, new
end

-- score_indexed: gives a member its scores after an event of now, and its places in orders of ties. Answers whether that went well: else the event is to be
-- taken back.
local function score_indexed(c, member, delta, worth, sequence, places, old, new)
  local plan, count, state = c.plan, #c.plan.keys, state_key(c.board)
  local scores = new and put_sums(c, member, old, new) or add_indexed(c, plan.keys, count, member, worth)
  if not scores then return false end
  if not plan.ties then
    redis.call('HSET', state, 'changed', c.instant)
    return true
  end
  sequence = (sequence or 0) + 1
  if c.note_places then c.note_places(c, plan.units, scores, places, delta) end
  local place = c.undoes and c.replace or place_indexed
  if not place(c, plan.orders, count, member, scores, sequence) then return false end
  redis.call('HSET', state, 'changed', c.instant, 'sequence', string.format('%d', sequence))
  return true
end

-- entry_item: the action of an event on an activity log, and its item, if that is to be remembered with it, see note_entry.
local function entry_item(c, action)
  local entry = c.entry
  local tracked = entry and entry.tracked
  if tracked then return action, (tracked.verb == 'o' or tracked.verb == 'n') and tracked.item end
  if entry then return action, entry.logged_item end
  local named, item = string.match(action, '^([^\n]*)\n(.*)$')
  return named or action, item
end

-- index_now: counts one event of now as planned on a board with an order of ties, with counts by action or of values, or on the activity log, see make_plan
-- and count_now. Answers its outcome; nil where the event or a key is not as usual: what was added to c.added boards is to be taken back then.
-- `sequence` is the last number of the order of ties. c.entry is a tracked event, or one that happened more than once; c.note_places and c.replace are
-- what it needs of orders of ties, see note_places and replace_indexed.
-- Counts by action and orders of ties are read first, so that writing them cannot fail. Scores are added to unread before that, unless read_sums reads them.
local function index_now(c, member, delta, worth, at, id, newcomers, sequence, action)
  local call, plan = redis.call, c.plan
  if delta <= 0 and not c.undoes or plan.has_more and not plan.orders then return nil end
  if id ~= '' and plan.ids == '' or plan.units == 0 and newcomers ~= '' then return nil end
  local refusal = c.refuses and c.refuses(c, member)
  if refusal then return id ~= '' and remember_now(c, id) and 'd' or refuse_now(c, refusal) end
  if plan.policy then return value_now(c, member, delta, worth, at, id, newcomers, sequence, action ~= '' and string.sub(action, 2)) end
  local counted, item = plan.has_actions and plan.units or 0, nil
  if not plan.has_scores then
    action, item = entry_item(c, action)
  end
  local tallies, places, fades, old, new = read_indexed(c, counted, member, delta, at, action)
  if not tallies then return nil end
  if id ~= '' and remember_now(c, id) then return 'd' end
  local is_new, distinct = old and is_joining(c, old, newcomers), plan.distinct and read_distinct(plan, old, new)
  if is_new and not joins_now(c, newcomers) then return refuse_now(c, 'm') end
  if plan.marks then mark_totals_now(c, member) end
  if plan.has_scores and not score_indexed(c, member, delta, worth, sequence, places, old, new) then return nil end
  if c.new_plan then call('HSET', state_key(c.board), unpack(fresh_plan(c))) end
  for i = 1, counted do
    if tallies[i] then
      call('HSET', plan.tallies[i], member, tallies[i])
    else
      call('HDEL', plan.tallies[i], member)
    end
  end
  if distinct then put_distinct(distinct) end
  if is_new then store_joined(c) end
  if fades then put_fades(member, fades) end
  if item then note_entry(c, member, at, action, item) end
  return 'c'
end

-- count_now: counts one event of now as planned, one write per board, unread where that is exact. `worth` is `delta` as a text. Answers its outcome;
-- nil where what is left is seldom, for finish_now.
--
-- That a rolling window's board is whole is seen when the plan is made. Until it ends that changes only in the state, or when the key goes and
-- its members with it. Whose score stands on the board of the next period has all there that came since.
--
-- c keeps what take_back needs when a write fails: id_key, and how many boards were added to; and what finish_now needs: sums by unit that
-- tell of a new member, is_lone, where a member was not on a rolling window's board or the next one; and is_unfit, where
-- nothing was counted since the event needs more.
local function count_now(c, member, delta, worth, at, id, newcomers)
  local call, plan = redis.call, c.plan
  local keys, units, sums = plan.keys, plan.units, nil
  -- A bounded sender needs a period that tells whether the member is new.
  if id ~= '' and plan.ids == '' or units == 0 and newcomers ~= '' then
    c.is_unfit = true
    return nil
  end
  if id ~= '' and remember_now(c, id) then return 'd' end
  local refusal = c.refuses and c.refuses(c, member)
  if refusal then return refuse_now(c, refusal) end
  if plan.marks then mark_totals_now(c, member) end
  for i = 1, #keys do
    if i > units and (sums or c.new_plan) then return nil end
    local sum = call('ZINCRBY', keys[i], worth, member)
    c.added = i
    -- Zeros are not kept, so such a sum means that the member is new.
    if sum == worth or sum == '0' or #sum > 14 then
      if i > units then
        c.is_lone = true
        return nil
      end
      -- Room for what is usual: tables grow by being copied.
      sums = sums or { false, false, false, false, false, false, false, false }
      sums[units + 1 - i], c.sums = sum, sums
    end
  end
  -- finish_now counts on decaying windows as well, so nothing was counted there before.
  if sums or c.new_plan or plan.has_more then return nil end
  if plan.fading ~= '' and not fade_now(c, member, delta, at) then return nil end
  call('HSET', state_key(c.board), 'changed', c.instant)
  return 'c'
end
