-- straight_plan: what one tracked event of now is counted on.
-- @use moved, opening, planning, records, removed

-- FIELDS: what is asked of the state with the plan of a tracked event; the last ones where there is an order of ties, and a journal.
local FIELDS = { 'buckets', 'sequence', 'journal' }

-- begin_call: what a call of record_tracked says of itself, with room for what count_straight notes: tables grow by being copied.
local function begin_call(board, sender, batch_id, has_all, newcomers, actor_history, journal, new_salt, visitors_per_address)
  return {
    board = board,
    sender = sender,
    batch_id = batch_id,
    has_all = has_all,
    newcomers = newcomers,
    actor_history = actor_history,
    journal = journal,
    new_salt = new_salt,
    visitors_per_address = visitors_per_address,
    time = redis.call('TIME'),
    added = 0,
    known_as = false,
    kept_buckets = false,
    kept_journal = false,
    sequence = false,
    now = 0,
    now_ms = 0,
    instant = false,
    at = 0,
    plan = false,
    hour = 0,
    day = 0,
    second = 0,
    same_from = 0,
    hashes = false,
    once_sets = false,
    salts = false,
    entry = false,
    undoes = false,
    moved = false,
    is_begun = false,
    stored = false,
    id_key = false,
    is_once_loaded = true,
  }
end

-- begin_again: the same call, so that a batch begins anew where count_straight does not count it.
local function begin_again(c)
  local again = { board = c.board, sender = c.sender, batch_id = c.batch_id, has_all = c.has_all, newcomers = c.newcomers, time = c.time }
  again.actor_history, again.journal, again.new_salt, again.visitors_per_address =
    c.actor_history, c.journal, c.new_salt, c.visitors_per_address
  again.before = c.before
  return setmetatable(again, getmetatable(c))
end

-- plan_event: finds the plan of an event of now, or makes one, and when it happened, see record_event. Answers whether there is one, and it holds for the
-- event. The plan begins with the local hour and day of now. What an undo needs to know of rolling windows is asked with it.
local function plan_event(c, about, when, entry)
  local fields, count, ties = FIELDS, c.journal and 3 or 1, c.indexes.ties
  if ties then count = math.max(count, 2) end
  if ties and c.undoes then
    fields = window_fields(c, { 'buckets', 'sequence', 'journal', 'indexes' })
    count = #fields
  end
  local plan, stored = find_plan(c.board, c.sender, about, unpack(fields, 1, count))
  c.stored, c.kept_buckets, c.sequence, c.kept_journal = stored, stored[2], stored[3], stored[4]
  c.first_sequence = ties and tonumber(c.sequence or 0)
  local now, now_ms, instant = read_time(c.time)
  c.now, c.now_ms, c.instant, c.at = now, now_ms, instant, now_ms
  if when ~= '' then
    local ago = tonumber(when)
    c.at = ago and now_ms - ago or tonumber(string.match(when, '^@(%d+)$')) or math.huge
    if c.at > now_ms then return false end
  end
  entry.at = c.at
  if plan and c.at >= plan.since and now < plan.till then
    c.plan, c.hour, c.day, c.second, c.same_from = plan, plan.hour, plan.day, now, plan.since
    return true
  end
  ask_state(c, {})
  return not read_state(c) and c.at >= c.same_from and make_plan(c, about)
end

-- parse_event: the event of count_straight as an entry, see gather_entries; nil where it is not counted straight: what is marked of a tracked action is that of
-- sums. Of a value it has what stands beside it as its action.
local function parse_event(c, event)
  local text, delta, is_tracked, is_value = event[5], tonumber(event[2]), event[6] ~= '', c.indexes.policy
  if not delta or delta - delta ~= 0 or is_value and is_tracked or not is_value and string.byte(text) == 61 then return nil end
  local tracked = is_tracked and read_tracked(c, event, 6) or nil
  if is_tracked and not tracked then return nil end
  local action, times, item = text, 1, nil
  if not is_value then
    action, times, item = action_and_times(text)
  end
  c.hashes = {}
  c.undoes = tracked and tracked.undoes
  local entry = {
    member = 1,
    name = event[1],
    delta = delta,
    at = 0,
    action = action,
    times = times or 1,
    event = 1,
    logged_item = item,
    tracked = tracked,
  }
  c.entry = entry
  return entry
end

-- follow_entry: lets an event be of what its member became, and be known by what its item became, see read_moved; c.refused_now is its outcome
-- where its member is kept off. Answers whether it can be counted straight: not while what was done to an item is being made what was done to
-- another one, see bring_over.
local function follow_entry(c, event, entry)
  c.moved = c.plan.is_filtered and c.plan.moved or ''
  if c.moved == '' then return true end
  if entry.tracked and string.find(c.moved, 'merging=', 1, true) then return false end
  local batch = { count = 1, names = { entry.name }, members = { 1 }, instants = { entry.at }, actions = { entry.action }, items = {} }
  batch.outcomes, batch.tracked, batch.has_tracked = { 'c' }, { entry.tracked }, entry.tracked
  c.moved_at = leave_out_moved(batch, read_moved(c.board, c.moved, batch))
  c.refused_now = batch.outcomes[1] ~= 'c' and batch.outcomes[1]
  entry.name, event[1] = batch.names[1], batch.names[1]
  return true
end

-- knows_state: reads of the state what plans do not tell, if it was not read yet. Answers whether that went well.
local function knows_state(c)
  if c.windows then return true end
  ask_state(c, {})
  return not read_state(c)
end
