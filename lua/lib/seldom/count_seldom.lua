-- count_seldom: counts an event that was not counted as planned, or not to the end, and answers the script's reply: as planned anew, where it is of
-- now, else as a batch of one. `event` is it as parse_events reads it, `done` and `outcome` what count_now or index_now came to, if that was
-- called. c.is_simple tells that it may be planned, and c.is_planned that it was.
local function count_seldom(c, event, delta, done, outcome)
  local is_indexed, is_bounded, member, known_as = c.options ~= nil, c.newcomers ~= '', event[1], c.known_as
  if c.is_planned and done == nil and not is_indexed then
    c.now, c.refuses, c.moved = c.time[1] + 0, refuses, string.match(c.text, '([^\n]+)\n$')
    done, outcome = pcall(count_now, c, member, delta, event[2], c.at, known_as, is_bounded)
    if done and outcome then return outcome end
  end
  local last_window = ask_state(c, {})
  local refusal = read_state(c)
  if refusal then return refusal end
  c.sequence = c.options and c.said[last_window + 1]
  if c.is_simple and not (is_bounded and c.units == '') and done == nil then
    c.refuses = (c.moved or c.known_for ~= '0') and refuses
    local is_planned = c.is_planned or c.at >= c.same_from and make_plan(c, c.about)
    if is_planned and not (is_indexed and c.refuses) then
      local count = is_indexed and index_now or count_now
      done, outcome = pcall(count, c, member, delta, event[2], c.at, known_as, is_bounded, c.sequence, event[5])
    end
  end
  if done and not outcome and not is_indexed and not c.is_unfit then
    done, outcome = pcall(finish_now, c, member, delta, c.at)
  end
  if c.turns then turn_full(c, c.turns) end
  if done and outcome then return outcome end
  if done == false or is_indexed and c.added > 0 then
    take_back(c, member, delta, known_as)
    c.put, c.id_key = nil, nil
  end
  if done == false then return untouched(outcome) end
  c.options = c.options or ''
  read_more_state(c)
  return count_batch(c, event, 1)
end
