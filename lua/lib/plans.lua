-- plans: what events of now are counted on, see make_plan.

-- plan_state: what a plan follows from of the state and changes as time goes by, which it begins with: the latest periods that were seen, the turn of
-- ids, and of each rolling window how it is and the made base boards of its unit. Of the windows these stand in `said`, from a place to another.
local function plan_state(seen, turn, said, from, to)
  local text = (seen or '') .. '\n' .. (turn or '') .. '\n'
  for i = from, to, 2 do
    text = text .. (said[i] or '') .. '\n' .. (said[i + 1] or '') .. '\n'
  end
  return text
end

-- find_plan: asks the state of a target for the plan of an event of now. It follows from the call's arguments `about`, in which the rolling
-- windows stand from a place on. Answers
-- - the plan; nil where there is none for these arguments, or what it begins with is not as the state is
-- - where that ends
-- - the values of the state's fields that were asked for, and the place of the last one before those of `more`; also where there is no plan
--
-- The arguments are a text of their own in the state, since Lua hashes every byte of a text that it makes.
local function find_plan(board, sender, about, at, more)
  local find, last, fields = string.find, 4, { 'boards:browser', 'arguments:browser', 'seen', 'ids:browser', '', '', '' }
  -- The names of the usual class need not be made.
  if sender ~= 'browser' then
    fields[1], fields[2], fields[4] = 'boards:' .. sender, 'arguments:' .. sender, 'ids:' .. sender
  end
  local from, to, name, unit = find(about, '^ ?([^: \n]+):(%a):%d+', at)
  while from do
    last = last + 2
    fields[last - 1], fields[last] = 'window:' .. name, 'made:' .. unit
    from, to, name, unit = find(about, '^ ([^: \n]+):(%a):%d+', to + 1)
  end
  local count = more and #more or 0
  for i = 1, count do
    fields[last + i] = more[i]
  end
  local said = redis.pcall('HMGET', board .. ':state', unpack(fields, 1, last + count))
  local text = said[1]
  local state = text and said[2] == about and plan_state(said[3], said[4], said, 5, last)
  if not state or find(text, state, 1, true) ~= 1 then text = nil end
  return text, text and #state, said, last
end
