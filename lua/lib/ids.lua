-- ids: ids of batches and events.

-- MAX_IDS: how many ids a set holds, about, so that a flood of them does not fill the memory.
local MAX_IDS = 1000000

-- REFUSED: the outcomes of what was refused and may count when it comes again, later or mended: it leaves no id. What an actor did or undid
-- before is an answer, which stays.
local REFUSED = 'rmvgxfoeb'

-- ids_to_remember: the ids by which a batch is known from now on, when it was counted in tables. A whole batch is known by its id, and its
-- events by those of their own. A part of one, and one of which anything was refused, is known event by event: so what was refused may come
-- again in its place, and what counted does not count again.
local function ids_to_remember(c)
  local batch, outcomes, ids, answered = c.batch, c.batch.outcomes, {}, c.batch.answered or {}
  local any_refused = string.find(table.concat(outcomes), '[' .. REFUSED .. ']')
  if c.is_remembered then
    if any_refused and c.id_key then
      redis.call('SREM', c.id_key, c.added_id)
      c.id_key = nil
    end
    return ids
  end
  local comes_whole = c.batch_id ~= '' and c.has_all and not any_refused
  if comes_whole then ids[1] = c.batch_id end
  for e = 1, comes_whole and batch.is_one and 0 or batch.count do
    local stored = batch.ids[e]
    local id = batch.known_by and batch.known_by[e] or c.batch_id .. (stored ~= '' and stored or '/0')
    local is_own = c.batch_id == '' or stored ~= '' and string.byte(stored) ~= 47
    local is_refused = string.find(REFUSED, outcomes[e], 1, true) and not answered[e]
    if id ~= '' and (is_own or not comes_whole) and not is_refused then
      ids[#ids + 1] = id
      if string.find(id, '/', 1, true) then c.has_more_parts = true end
    end
  end
  return ids
end

-- remember_ids: puts ids into the current set of the two that take turns, of each class of ids that is added to. It turns them when it is
-- time: a replay window after the last turn, or when the set is full. A clock before that instant resets it, and turns nothing. So an id is
-- known for one to two windows, whatever the clock does.
local function remember_ids(c, ids)
  local call = redis.call
  for _, class in ipairs(c.id_classes or { c }) do
    if class.is_retired then break end
    local sender, turn, at, window = class.sender, class.ids_turn, class.ids_turned_at, class.replay_window
    local is_full = c.now_ms % 64 == 0 and call('SCARD', ids_key(c.board, sender, turn)) >= MAX_IDS
    -- When the set before the current one expires: what is in it came before the current one's turn.
    local earlier_until
    if not at or c.now >= at + window or is_full then
      earlier_until = at and at + 2 * window
      turn, at = turn + (at and c.now >= at + 2 * window and 2 or 1), c.now
      -- Before the UNLINK: without memory Redis refuses the first write of a script, if that takes any.
      set_state(c.board, 'ids:' .. sender, turn, 'turned:' .. sender, at)
      call('UNLINK', ids_key(c.board, sender, turn))
    elseif c.now < at then
      at, earlier_until = c.now, c.now + window
      set_state(c.board, 'turned:' .. sender, at)
    end
    local key = ids_key(c.board, sender, turn)
    if #ids > 0 then
      call('SADD', key, unpack(ids))
      c.remembered_in = c.remembered_in or {}
      c.remembered_in[#c.remembered_in + 1] = key
    end
    if c.has_more_parts and class.parts_turn ~= turn then set_state(c.board, 'parts:' .. sender, turn) end
    if turn ~= class.ids_turn or at ~= class.ids_turned_at then
      call('EXPIREAT', key, at + 2 * window)
      if earlier_until then call('EXPIREAT', ids_key(c.board, sender, turn - 1), earlier_until) end
    end
  end
end

-- turn_full: lets the sets of ids turn at the next call when the current one is full. It is looked for now and then, by a part of the
-- clock that nobody can choose.
local function turn_full(c, key)
  if redis.call('SCARD', key) < MAX_IDS then return end
  set_state(c.board, 'turned:' .. c.sender, c.now - c.replay_window)
end

-- leave_out_known: gives events the outcome d whose id is in one of the two sets that take turns, of each class of ids that is looked among.
-- event_of tells each id's event; 0 for the id of the batch, which stands for all of them. c.found_in has by each set which of c.asked it has.
local function leave_out_known(c, ids, event_of)
  local call, outcomes, all = redis.call, c.batch.outcomes, c.batch.count
  -- Of one event, adding its id tells whether the current set has it. It is taken back where the event is refused, or what follows fails.
  if all == 1 and #ids == 1 and not c.id_classes and c.is_usual and c.id_turn and not c.asks_parts then
    local was_known = call('SISMEMBER', ids_key(c.board, c.sender, c.id_turn - 1), ids[1]) == 1
    local key = ids_key(c.board, c.sender, c.id_turn)
    if call('SADD', key, ids[1]) == 0 or was_known then
      outcomes[1] = 'd'
    else
      c.id_key, c.added_id = key, ids[1]
    end
    if c.now_ms % 64 == 0 then turn_full(c, key) end
    c.is_remembered = true
    return
  end
  -- An id that names an event of another batch is known when that batch came whole.
  for i = 1, c.asks_parts and #ids or 0 do
    local whole = string.match(ids[i], '^(.+)/%d+$')
    if whole and whole ~= c.batch_id then
      ids[#ids + 1], event_of[#ids + 1] = whole, event_of[i]
    end
  end
  c.asked, c.found_in = ids, {}
  for _, class in ipairs(c.id_classes or { c }) do
    local turn, at = class.ids_turn, class.ids_turned_at
    -- Idle for so long, the sets were not turned.
    local is_idle = not at or c.now >= at + 2 * class.replay_window
    for of_turn = turn, is_idle and turn + 1 or math.max(turn - 1, 0), -1 do
      local key = ids_key(c.board, class.sender, of_turn)
      local found = call('SMISMEMBER', key, unpack(ids))
      c.found_in[key] = found
      for i = 1, #ids do
        local event = event_of[i]
        for e = event == 0 and 1 or event, found[i] == 1 and (event == 0 and all or event) or 0 do
          if outcomes[e] == 'c' then outcomes[e] = 'd' end
        end
      end
    end
  end
end

-- known_ids: gives the events that were seen before the outcome d.
--
-- An event is seen when its batch's id is, or what it is known by, which batch.known_by tells: its own id, or the batch's id and its place
-- ("b/7"). So a batch may be split, merged and sent again. Events of a whole batch are asked for only while parts may be remembered.
-- batch.repeats tells whether an event is there twice, see count_entries.
local function known_ids(c)
  local batch, asked, event_of, seen, known_by = c.batch, {}, {}, {}, {}
  if c.batch_id ~= '' and c.has_all and batch.is_one and not c.has_parts then return leave_out_known(c, { c.batch_id }, { 0 }) end
  batch.known_by = known_by
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then
      local id = batch.ids[e]
      if c.batch_id ~= '' and not asked[1] then
        asked[1], event_of[1] = c.batch_id, 0
      end
      -- The one event of a batch that this target counts, and its first.
      if id == '' and c.batch_id ~= '' then id = '/0' end
      local is_own = c.batch_id == '' or string.byte(id) ~= 47
      if not is_own then id = c.batch_id .. id end
      local is_named = is_own or not c.has_all
      if is_named and string.find(id, '/', 1, true) then c.asks_parts = true end
      known_by[e] = id
      if id ~= '' and seen[id] then
        batch.repeats = true
      elseif id ~= '' and (is_named or c.has_parts) then
        asked[#asked + 1], event_of[#asked + 1] = id, e
      end
      seen[id] = true
    end
  end
  if #asked > 0 then leave_out_known(c, asked, event_of) end
end

-- remember_now: whether an event of now is known by its id already, and remembers it in the sets of ids of its plan. c.turns is that of now where it is
-- to be looked whether that is full, see turn_full.
local function remember_now(c, id)
  local key = c.plan.ids
  if redis.call('SADD', key, id) == 0 then return true end
  c.id_key = key
  if redis.call('SISMEMBER', c.plan.ids_before, id) == 1 then
    c.id_key = nil
    return true
  end
  c.turns = c.now_ms % 64 == 0 and key
  return false
end

-- refuse_now: takes out the id of an event of now that is refused, so that it counts when it comes again and passes, and what was noted for totals. Answers
-- the outcome.
local function refuse_now(c, outcome)
  if c.marked then unmark(c.marked) end
  if c.id_key then redis.call('SREM', c.id_key, c.known_as) end
  c.id_key = nil
  return outcome
end
