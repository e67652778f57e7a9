-- plans: what events of now are counted on, see make_plan.

-- PLANS: the plans that were read last, by their texts, `older` those before. A library keeps them from call to call.
local PLANS = { latest = {}, older = {}, bytes = 0 }

-- FIELDS: the fields of a state that tell whether a plan holds, by class of senders and by the arguments that it follows from.
local FIELDS = { count = 0, of = {} }

-- plan_state: what a plan follows from of the state and changes as time goes by, which it begins with: the latest periods that were seen, the turn of
-- ids, and of each rolling window how it is and the made base boards of its unit. Of the windows these stand in `said`, from a place to another.
local function plan_state(seen, turn, said, from, to)
  local text = (seen or '') .. '\n' .. (turn or '') .. '\n'
  for i = from, to, 2 do
    text = text .. (said[i] or '') .. '\n' .. (said[i + 1] or '') .. '\n'
  end
  return text
end

-- parse_plan: a plan as make_plan writes it, which begins with so many lines of the state. It has
-- - state: these lines, in their order
-- - since, till: when it holds, milliseconds of events and seconds of the clock
-- - is_choosy, has_more, has_actions, has_scores: see make_plan
-- - ids_before, ids: the keys of the sets of ids; empty where an id needs more than these
-- - ending: that of the names of orders of ties
-- - keys: the boards of so many `units`, and of rolling windows
-- - fading, landmark, life: of a half-life; fading is empty where none is planned
-- - moved: what is said of removals, or empty
local function parse_plan(text, count)
  local find, sub, plan, lines, at = string.find, string.sub, {}, {}, 1
  for i = 1, count do
    local to = find(text, '\n', at, true)
    lines[i], at = sub(text, at, to - 1), to + 1
  end
  plan.state, plan.keys = lines, {}
  plan.since, plan.till = sub(text, at, at + 12) + 0, sub(text, at + 13, at + 22) + 0
  local choosy, units, rolled, more, actions, scores = string.byte(text, at + 23, at + 28)
  plan.is_choosy, plan.has_more, plan.has_actions, plan.has_scores = choosy == 49, more == 49, actions == 49, scores == 49
  plan.units, at = units - 48, at + 29
  local rest = {}
  for line in string.gmatch(sub(text, at), '([^\n]*)\n') do
    rest[#rest + 1] = line
  end
  plan.ids_before, plan.ids, plan.ending = rest[1], rest[2], rest[3]
  local last = 3 + plan.units + rolled - 48
  for i = 4, last do
    plan.keys[i - 3] = rest[i]
  end
  plan.fading, plan.moved = rest[last + 1], rest[#rest]
  if plan.fading ~= '' then
    plan.landmark, plan.life = sub(rest[last + 2], 1, 15) + 0, sub(rest[last + 2], 16, 30) + 0
  end
  return plan
end

-- recall_plan: a plan by its text, see parse_plan. What is kept of plans takes about 1 MB at most.
local function recall_plan(text, count)
  local plan = PLANS.latest[text]
  if plan then return plan end
  plan = PLANS.older[text] or parse_plan(text, count)
  if PLANS.bytes > 200000 then
    PLANS.older, PLANS.latest, PLANS.bytes = PLANS.latest, {}, 0
  end
  PLANS.latest[text], PLANS.bytes = plan, PLANS.bytes + #text
  return plan
end

-- fields_of: the fields of a state that tell whether a plan holds: the plan, the arguments that it was made of, and what it begins with, see plan_state.
local function fields_of(sender, about, at)
  local known = FIELDS.of[sender] and FIELDS.of[sender][about]
  if known then return known end
  local fields = { 'boards:' .. sender, 'arguments:' .. sender, 'seen', 'ids:' .. sender }
  local from, to, name, unit = string.find(about, '^ ?([^: \n]+):(%a):%d+', at)
  while from do
    fields[#fields + 1], fields[#fields + 2] = 'window:' .. name, 'made:' .. unit
    from, to, name, unit = string.find(about, '^ ([^: \n]+):(%a):%d+', to + 1)
  end
  fields.last = #fields
  if FIELDS.count > 300 then
    FIELDS.count, FIELDS.of = 0, {}
  end
  FIELDS.count, FIELDS.of[sender] = FIELDS.count + 1, FIELDS.of[sender] or {}
  FIELDS.of[sender][about] = fields
  return fields
end

-- find_plan: asks the state of a target for the plan of an event of now. It follows from the call's arguments `about`, in which the rolling
-- windows stand from a place on. Answers
-- - the plan; nil where there is none for these arguments, or what it begins with is not as the state is
-- - the values of the state's fields that were asked for, and the place of the last one before those of `more`; also where there is no plan
--
-- The arguments are a text of their own in the state, since Lua hashes every byte of a text that it makes.
local function find_plan(board, sender, about, at, more)
  local fields = fields_of(sender, about, at)
  local last, count = fields.last, more and #more or 0
  for i = 1, count do
    fields[last + i] = more[i]
  end
  local said = redis.pcall('HMGET', board .. ':state', unpack(fields, 1, last + count))
  local text = said[1]
  if not text or said[2] ~= about then return nil, said, last end
  local plan = recall_plan(text, last - 2)
  local state = plan.state
  for i = 3, last do
    if (said[i] or '') ~= state[i - 2] then return nil, said, last end
  end
  return plan, said, last
end

-- drop_plans: drops the plans of a target. Who changes a field of the state that they follow from and do not begin with calls it: what is counted
-- and since when, the generation of marks, the options, what was reset or removed, and how ids are remembered.
local function drop_plans(board) redis.call('HDEL', board .. ':state', 'boards:browser', 'boards:server', 'boards:queue') end
