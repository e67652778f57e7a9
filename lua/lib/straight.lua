-- straight: counting one tracked event of now, with its marks.
-- @use batch_parts, boards, counting, event_now, hashes, ids, indexes, limits, once, opening, period_boards, planning, records, rest_of_event, reversible
-- @use storing, straight_plan, tracked_hashes, undoing, visitors

-- mark_now: notes that a tracked action of now counted, see mark_done: by all units but those that refused its member.
local function mark_now(c, entry)
  local tracked = entry.tracked
  -- Nothing else tells what counted it.
  if tracked.verb ~= 'r' and not c.journal then return mark_done(c, entry) end
  tracked.took, tracked.before = c.units, c.before_now
  for i = 1, c.refused and #c.units or 0 do
    if c.refused[i] then tracked.took = string.gsub(tracked.took, string.sub(c.units, i, i), '') end
  end
  tracked.took_windows = usual_windows(c, tracked.set and ' o=' .. tracked.once .. ' ' or ' ')
  return mark_done(c, entry)
end

-- note_places: the sequence numbers that a member had on the boards of its periods before an event that added `delta` to its scores, by its places in
-- the orders of ties. The record of a tracked action tells them.
local function note_places(c, count, scores, places, delta)
  local before, units = {}, c.units
  for i = 1, count do
    local place, old = tonumber(places[i] or nil), scores[i] - delta
    before[string.sub(units, i, i)] = place and old ~= 0 and unpack_sequence(place, old, c.indexes.ties) or 0
  end
  c.before_now = before
end

-- read_marks: reads what mark_done and mark_undone look at besides what was read of a tracked event, so that nothing but a write may fail once it
-- is counted. `who` does it.
local function read_marks(c, tracked, who)
  if tracked.undoes then once_mark(c, tracked, tracked.done_at, who) end
  if tracked.verb == 'o' or tracked.verb == 'n' then return end
  local hash, _, later = hash_of_now(c, who)
  get_field(hash, tracked.what)
  for i = 1, later and #later or 0 do
    get_field(later[i], tracked.what)
  end
end

-- replace_indexed: gives a member its places in so many orders of ties after an undo, by its scores: as if the action had never been done. The first orders
-- are those of periods. Answers that it did.
local function replace_indexed(c, orders, count, member, scores)
  local tracked, sequences, units = c.entry.tracked, {}, #c.units
  local last = units
  want_undone(c, tracked)
  for i = 1, units do
    local unit = string.sub(c.units, i, i)
    local sequence = sequence_without(c, tracked, unit, c.before_now[unit])
    sequences[i] = scores[i] ~= '0' and sequence or 0
    c.periods[c.plan.keys[i]] = { board = { sequence = { sequences[i] } } }
  end
  for _, window in ipairs(c.windows) do
    if window.stored ~= 'broken' then
      local current, now, after = period_number(window.unit, c, c.week_starts_on), { sequence = {} }, { sequence = {} }
      local leaving = base_board(c, window, current - window.length + 1)
      if leaving and not leaving.sequence[1] then leaving.sequence[1] = read_sequence(c, leaving, 1) end
      roll_ties(c, window, current, 1, false, { now, leaving, nil, after, scores[last + 1] + 0, scores[last + 2] + 0 })
      sequences[last + 1], sequences[last + 2], last = now.sequence[1], after.sequence[1], last + 2
    end
  end
  return place_indexed(c, orders, count, member, scores, nil, sequences)
end

-- store_event: writes what an event changed in tables: salts, hashes, marks, the journal, and the buckets of records.
local function store_event(c)
  if c.salts then store_salts(c) end
  if c.new_buckets then set_state(c.board, 'buckets', c.new_buckets) end
  store_marks(c)
end

-- judge_event: whether a tracked event may count: the outcome where it may not, see find_undone and find_done. Else nil, and whether it counts here and now: an undo
-- may be of what was counted elsewhere or earlier.
local function judge_event(c, entry)
  local refusal
  local tracked, is_of_now = entry.tracked, true
  if tracked.seq or tracked.order then want_seq(c, tracked) end
  if tracked.undoes then
    refusal = find_done(c, entry)
    if not refusal then
      is_of_now = tracked.done_at >= c.same_from and tracked.units == c.units
      local words = is_of_now and string.match(tracked.windows, ' o=%a ') or ' '
      is_of_now = is_of_now and tracked.windows == recorded_windows(c, usual_windows(c, words))
    end
  else
    refusal = find_undone(c, entry)
  end
  if refusal then return apply_seq(c, tracked, refusal) end
  if is_of_now then read_marks(c, tracked, tracked.doer or tracked.who) end
  return nil, is_of_now
end

-- wants_places: lets index_now give a member its places after an undo, where a board has an order of ties: those of rolling windows follow from their base
-- boards, which plan_event asked for. Answers whether all is there.
local function wants_places(c)
  if not c.indexes.ties then return true end
  if not c.windows then
    c.kept_indexes, c.windows = c.stored[5], read_windows(c, 5)
  end
  settle_indexes(c)
  c.batch, c.boards, c.board_list, c.periods, c.replace = { names = { c.entry.name } }, {}, {}, {}, replace_indexed
  return not c.new_indexes
end

-- add_event: adds an event of now to the boards of its plan, `worth` as a text where it is no undo. Answers its outcome; nil where more must be known.
local function add_event(c, entry, worth)
  local member, delta = entry.name, entry.delta
  if c.undoes then worth = text_of(delta) end
  if c.options or delta % 1 ~= 0 then
    c.note_places = entry.tracked and note_places
    if c.undoes and not wants_places(c) then return nil end
    return index_now(c, member, delta, worth, entry.at, '', c.newcomers, c.sequence, entry.action)
  end
  local outcome = count_now(c, member, delta, worth, entry.at, '', c.newcomers)
  if outcome or c.is_unfit then return outcome end
  for _, sum in pairs(c.undoes and c.sums or {}) do
    if sum == worth then return nil end
  end
  if not knows_state(c) then return nil end
  return finish_now(c, member, delta, entry.at)
end

-- count_event: what count_straight does, without taking anything back: plans, remembers the event's id, finds whether it may count, counts it, and
-- marks that.
local function count_event(c, about, event)
  local entry = parse_event(c, event)
  if not entry or not plan_event(c, about, event[3], entry) or not follow_entry(c, event, entry) then return nil end
  local reply = c.before and c.before({ event[1] })
  if reply then return reply end
  if c.known_as ~= '' then
    if c.plan.ids == '' then return nil end
    if remember_now(c, c.known_as) then return 'd' end
  end
  if c.refused_now then return refuse_now(c, c.refused_now) end
  if c.known_for ~= '0' and not c.undoes and is_unknown(c, entry.name) then return refuse_now(c, 'x') end
  if not entry.tracked then return add_event(c, entry, event[2]) end
  local refusal, is_of_now = judge_event(c, entry)
  if refusal then
    store_event(c)
    return string.find(REFUSED, refusal, 1, true) and refuse_now(c, refusal) or refusal
  end
  local outcome = is_of_now and add_event(c, entry, event[2])
  if outcome ~= 'c' then return outcome end
  c.is_begun = true
  outcome = c.undoes and mark_undone(c, entry, 'c') or mark_now(c, entry)
  store_event(c)
  return outcome
end

-- count_straight: counts the only event of a call of record_tracked, if it is one of now: on the boards of a plan, see make_plan, with what is marked and
-- recorded of a tracked action. Answers the script's reply; nil where it is to be counted as a batch: then nothing is written, or it was taken
-- back. `event` holds its texts, see record_tracked, and `about` the arguments that a plan follows from.
local function count_straight(c, about, event)
  local id, has_own = event[4], c.batch_id == ''
  local is_one = c.has_all == '1' and (id == '' or has_own and not string.find(id, '/', 1, true))
  if not is_one or string.find(c.sender, ':', 1, true) then return nil end
  c.added, c.options, c.journal = 0, c.options ~= '' and c.options, c.journal ~= 0 and c.journal
  c.known_as = has_own and id or c.batch_id
  -- What is counted with a journal is counted on plans of its own.
  about = c.journal and about .. '\njournal' or about
  local is_right, reply = pcall(count_event, c, about, event)
  if is_right and reply then
    if c.turns then turn_full(c, c.turns) end
    return reply
  end
  if c.is_begun then error(reply) end
  take_back(c, event[1], c.entry and c.entry.delta or 0, c.known_as)
  return not is_right and untouched(reply) or nil
end
