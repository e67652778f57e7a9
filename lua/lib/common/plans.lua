-- plans: what events of now are counted on, see make_plan; and writing the state that they follow from.

-- PLANS: the plans that were used last, by their digests, `older` those before. A library keeps them from call to call. `bytes` is what the latest take.
-- `drops` counts how often plans were dropped. `form` stands behind the arguments of a plan in a state: versions that wrote none knew no totals in plans, and
-- read others without them, so a plan of another form is none.
local PLANS = { latest = {}, older = {}, bytes = 0, drops = 0, form = '\n4' }

-- PLANNED: the fields of a state that plans follow from, by their names up to a colon: what is counted and since when, the latest periods that were seen,
-- the generation of marks, indexes, how ids are remembered, who was removed, what was reset or archived, and of each rolling window how it is and
-- which base boards were made.
local PLANNED = {
  layout = true,
  seen = true,
  generation = true,
  ids = true,
  turned = true,
  parts = true,
  indexes = true,
  counts = true,
  moved = true,
  resets = true,
  archived = true,
  window = true,
  made = true,
}

-- set_state: writes fields of a target's state, each with its value, and drops the plans of the target where they follow from one of these. Nothing else
-- writes such fields.
local function set_state(board, ...)
  for i = 1, select('#', ...), 2 do
    if PLANNED[string.match((select(i, ...)), '^[^:]*')] then
      PLANS.drops = PLANS.drops + 1
      redis.call('HSET', state_key(board), 'plan:browser', '', 'plan:server', '', ...)
      return
    end
  end
  redis.call('HSET', state_key(board), ...)
end

-- parse_plan: a plan as make_plan writes it. It has
-- - hour, day: the local ones of now
-- - since, till: when it holds, milliseconds of events and seconds of the clock
-- - is_filtered, has_more, has_actions, has_scores: see make_plan
-- - ids_before, ids: the keys of the sets of ids; empty where an id needs more than these
-- - policy: greatest, least or latest, of values; metas: what stands beside these; instants: when they happened, where the latest counts
-- - distinct, holders: the distinct scores of `keys`, and how many members hold each; nil where they are not kept
-- - keys: the boards of so many `units`, and of rolling windows; orders: their orders of the `ties` first or last; tallies: their counts by action;
--   a board with neither has neither list, so that its plan's fields take half the room
-- - fading, landmark, life: of a half-life; fading is empty where none is planned
-- - marks: what notes whose totals changed, see plan_marks; nil where nobody hands them on
-- - moved: what is said of removals, or empty
-- - about: the arguments that it was made of
-- - bytes: about what it takes, as measured
local function parse_plan(text, about)
  local sub, plan, rest = string.sub, { keys = {}, about = about, bytes = 1000 + 2 * #text }, {}
  for line in string.gmatch(text, '([^\n]*)\n') do
    rest[#rest + 1] = line
  end
  local head, hour, day = rest[2], string.match(rest[1], '^(-?%d+):(-?%d+)')
  plan.hour, plan.day, plan.since, plan.till = hour + 0, day + 0, sub(head, 1, 13) + 0, sub(head, 14, 23) + 0
  local filters, units, rolled, more, actions, scores, policy, marked = string.byte(head, 24, 31)
  plan.is_filtered, plan.has_more, plan.has_actions, plan.has_scores = filters == 49, more == 49, actions == 49, scores == 49
  plan.units, plan.ids_before, plan.ids = units - 48, rest[3], rest[4]
  local last = 6 + plan.units + rolled - 48
  local of_distinct, ties, generation = string.match(rest[5], ' (%d+)$'), string.match(rest[5], '^:(%a+):?(%d*)')
  if ties or plan.has_actions then
    plan.ties, plan.orders, plan.tallies, plan.bytes = ties, {}, {}, 2000 + 6 * #text
  end
  plan.policy = policy == 103 and 'greatest' or policy == 108 and 'least' or policy == 116 and 'latest' or nil
  if plan.policy then
    plan.metas, plan.instants, plan.bytes = {}, policy == 116 and {}, 2000 + 8 * #text
  end
  if of_distinct then
    plan.distinct, plan.holders, plan.bytes = {}, {}, plan.bytes + 2000 + 4 * #text
  end
  for i = 6, last - 1 do
    local key = rest[i]
    plan.keys[i - 5] = key
    if plan.policy then plan.metas[i - 5] = metas_key(key) end
    if plan.instants then plan.instants[i - 5] = instants_key(key) end
    if of_distinct then plan.distinct[i - 5] = index_key(key, 'distinct', of_distinct) end
    if of_distinct then plan.holders[i - 5] = index_key(key, 'holders', of_distinct) end
    if plan.tallies then plan.tallies[i - 5] = actions_key(key) end
    if ties then plan.orders[i - 5] = index_key(key, ties, generation == '' and '0' or generation) end
  end
  plan.fading, plan.moved = rest[last], rest[#rest]
  if plan.fading ~= '' then
    last = last + 1
    plan.landmark, plan.life = sub(rest[last], 1, 15) + 0, sub(rest[last], 16, 30) + 0
  end
  if marked and marked > 48 then plan.marks = { unpack(rest, last + 1, last + 2 * (marked - 48)) } end
  return plan
end

-- keep_plan: keeps a plan for find_plan among the latest, and answers it. All that are kept take 1 MB at most.
local function keep_plan(digest, plan)
  if PLANS.bytes > 480000 then
    PLANS.older, PLANS.latest, PLANS.bytes = PLANS.latest, {}, 0
  end
  PLANS.latest[digest], PLANS.bytes = plan, PLANS.bytes + plan.bytes
  return plan
end

-- find_plan: asks the state of a target for the plan of an event of now, and for other fields. Answers
-- - the plan; nil where there is none for these arguments, `about`
-- - the values of what was asked for: behind that of the plan those of the other fields
--
-- The state names a plan by a digest of its text and its arguments, so one that is known was read from that very text. A change of what it
-- follows from drops the name, see set_state.
local function find_plan(board, sender, about, ...)
  local state = state_key(board)
  local stored = redis.pcall('HMGET', state, 'plan:' .. sender, ...)
  local digest = stored[1]
  if not digest or digest == '' then return nil, stored end
  local plan = PLANS.latest[digest]
  if not plan then
    plan = PLANS.older[digest]
    local kept = not plan and redis.call('HMGET', state, 'planned:' .. sender, 'arguments:' .. sender)
    if kept and (not (kept[1] and kept[2]) or string.sub(kept[2], -2) ~= PLANS.form) then return nil, stored end
    plan = keep_plan(digest, plan or parse_plan(kept[1], string.sub(kept[2], 1, -3)))
  end
  if plan.about ~= about then return nil, stored end
  return plan, stored
end

-- name_plan: the fields of the state that hold a plan: its text, and the arguments `about` that it was made of. Answers the plan as well.
local function name_plan(sender, text, about)
  local digest = string.sub(redis.sha1hex(about .. '\n\n' .. text), 1, 20)
  return { 'plan:' .. sender, digest, 'planned:' .. sender, text, 'arguments:' .. sender, about .. PLANS.form },
    keep_plan(digest, parse_plan(text, about))
end
