-- batch_parts: what a batch of events is read into.
-- @use clock, hashes, once, records, visitors

-- is_tallied: whether an entry changes the counts by action beside a board. An undo does where its action did; before records told that, where
-- the configuration keeps them.
local function is_tallied(c, entry, key)
  local keeps, tracked = c.indexes.actions, entry.tracked
  if not entry.undoes then return keeps end
  local sign = string.sub(tracked.windows, 1, 1)
  if sign == '-' or not keeps and sign ~= '+' then return false end
  return keeps or get_field(hash_of(c.hashes, actions_key(key)), entry.name)
end

-- load_once: reads the marks of a batch's actions that count once, each period's with one command, and which visitors it has.
local function load_once(c)
  for _, entry in ipairs(c.entries) do
    local tracked = entry.tracked
    if tracked and not tracked.undoes then
      local who = name_visitor(c, tracked, entry.at)
      if once_mark(c, tracked, entry.at, who) then visitor_place(c, tracked, entry.at) end
    end
  end
  for _, set in pairs(c.once_sets) do
    load_once_set(c, set)
  end
  c.is_once_loaded = true
end

-- tracked_context: what reading the tracked actions of a target needs, without a batch: the clock, and the buckets that were used.
local function tracked_context(board, actor_history)
  local time = redis.call('TIME')
  return {
    board = board,
    actor_history = actor_history,
    now = tonumber(time[1]),
    now_ms = time[1] * 1000 + math.floor(time[2] / 1000),
    kept_buckets = redis.call('HGET', state_key(board), 'buckets'),
    hashes = {},
  }
end

-- take_tracked: reads what makes an event of a batch tracked, see read_tracked; false where it is wrong.
local function take_tracked(c, batch, e, texts, at, own_at)
  local tracked = read_tracked(c, texts, at)
  if not tracked then return false end
  batch.has_tracked, batch.tracked[e] = true, tracked
  -- Others have records of their own.
  if tracked.verb == 'o' or tracked.verb == 'n' then batch.items[e] = tracked.item or nil end
  -- Its instant is by the clock of another node, which may be ahead a little.
  if tracked.order and batch.outcomes[e] == 'f' and batch.instants[e] <= own_at + STEP_BACK_MS then
    batch.instants[e], batch.outcomes[e] = own_at, 'c'
  end
  return true
end

-- parse_events: reads the events of a batch: members by their order of appearance, and for each event lists by its index. nil and a
-- reply where an argument is wrong.
--
-- texts holds `width` texts per event from `first` on: member, delta, when, id, action, and where events may be tracked what tells it, see
-- record_tracked. Outcomes are c so far, f for the future and o for what was before 1970. What comes now is right behind a reset over which
-- the clock went back by a little. The batch `adds` when all its events do; it `is_one` when none has an id of its own, or is of the future or
-- before 1970.
local function parse_events(c, texts, first, width)
  local names, members, deltas, instants, outcomes, actions, ids = {}, {}, {}, {}, {}, {}, {}
  local batch = { names = names, members = members, deltas = deltas, instants = instants, outcomes = outcomes, actions = actions }
  local now_ms, number_of, e, adds, has_own, are_timely = c.now_ms, {}, 0, true, false, true
  local own_at = c.resets and c.reset_at > now_ms and c.reset_at <= now_ms + STEP_BACK_MS and c.reset_at + 1 or now_ms
  batch.ids, batch.tracked, batch.times, batch.items, batch.metas = ids, {}, {}, {}, {}
  for i = first, #texts, width do
    local name, delta, when, id, action = texts[i], read_number(texts[i + 1]), texts[i + 2], texts[i + 3], texts[i + 4]
    local at = own_at
    if when ~= '' then
      local ago = tonumber(when)
      at = ago and now_ms - ago or tonumber(string.match(when, '^@(%d+)$')) or 0 / 0
    end
    if not delta or delta - delta ~= 0 or at ~= at then
      return nil, redis.error_reply('UNTOUCHED ERR an event has no finite delta or no instant: ' .. texts[i + 1] .. ' ' .. when)
    end
    local member = number_of[name]
    if not member then
      member = #names + 1
      names[member], number_of[name] = name, member
    end
    e = e + 1
    members[e], deltas[e], instants[e], ids[e] = member, delta, at, id
    outcomes[e] = at > own_at and 'f' or at < 0 and 'o' or 'c'
    if outcomes[e] ~= 'c' then are_timely = false end
    if delta <= 0 then adds = false end
    if id ~= '' and string.byte(id) ~= 47 then has_own = true end
    if string.byte(action) == 61 then
      batch.metas[e] = string.sub(action, 2)
    elseif action ~= '' then
      actions[e], batch.times[e], batch.items[e] = action_and_times(action)
    end
    if width > 5 and texts[i + 5] ~= '' and not take_tracked(c, batch, e, texts, i + 5, own_at) then
      return nil, redis.error_reply('UNTOUCHED ERR a tracked action has a wrong verb, order, unit or actor, or no salt: ' .. texts[i + 5])
    end
  end
  batch.count, batch.adds, batch.is_one = e, adds and not batch.has_tracked, are_timely and not has_own
  return batch
end

-- read_more_state: reads what of a target's state an event of now does not need.
local function read_more_state(c)
  local fields = { 'sequence', 'past', 'buckets', 'journal' }
  c.sequence, c.past, c.kept_buckets, c.kept_journal = unpack(redis.call('HMGET', state_key(c.board), unpack(fields)), 1, 4)
end

-- shows_change: whether a batch changes what some window of its target shows: something counted, or was taken back, or more events were refused. An
-- activity log is not shown in windows.
local function shows_change(c)
  if c.indexes['activity-log'] then return false end
  if c.batch.took_back then return true end
  for _, outcome in ipairs(c.batch.outcomes) do
    if outcome == 'c' then return true end
  end
  for _, period in ipairs(c.period_list) do
    if period.refused > 0 then return true end
  end
  return false
end

-- untouched: the reply of a script that failed and has written nothing, or has taken it back. `problem` is what pcall caught: FAILED tells it
-- from what a script refuses by itself.
local function untouched(problem)
  local text = type(problem) == 'table' and problem.err or tostring(problem)
  return redis.error_reply('UNTOUCHED FAILED ' .. string.gsub(text, '^%-', ''))
end
