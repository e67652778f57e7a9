-- rare: counting an event of now that was not counted as planned.
-- @use batch, batch_parts, boards, ids, opening, plain, rest_of_event

-- count_rest: counts an event that was not counted as planned, or not to the end, and answers the script's reply: as planned anew, where it is of
-- now, else as a batch of one. `event` is it as parse_events reads it, `done` and `outcome` what count_now or index_now came to, if that was
-- called. c.is_simple tells that it may be planned, and c.is_planned that it was.
local function count_rest(c, event, delta, done, outcome)
  if c.is_planned and done == nil then
    done, outcome = count_filtered(c, event, delta)
  end
  if done and outcome then
    if c.turns then turn_full(c, c.turns) end
    return outcome
  end
  local last_window = ask_state(c, {})
  local refusal = read_state(c)
  if refusal then return refusal end
  c.sequence = c.options and c.stored[last_window + 1]
  local reply = count_planned(c, event, delta, done, outcome)
  if reply then return reply end
  c.options = c.options or ''
  read_more_state(c)
  return count_batch(c, event, 1, #event, { read = plan_plain, store = store_plain })
end

-- count_rare: counts an event that was not counted as planned, or not to the end, and answers the script's reply, see count_rest. What fails takes
-- back what was added until then.
local function count_rare(c, event, delta, done, outcome)
  c.now = c.time[1] + 0
  local is_right, reply = pcall(count_rest, c, event, delta, done, outcome)
  if is_right then return reply end
  if c.is_begun then error(reply) end
  take_back(c, event[1], delta, c.known_as)
  return untouched(reply)
end
