-- count_planned: counts an event as planned, where c.is_planned says that c.plan is one, or as planned anew, where it is of now. Answers the
-- script's reply; nil where it is to be counted as a batch of one. For the rest see count_seldom.
local function count_planned(c, event, delta, done, outcome)
  local is_indexed, is_bounded, member, known_as = c.options ~= nil, c.newcomers ~= '', event[1], c.known_as
  if c.is_simple and not (is_bounded and c.units == '') and done == nil then
    c.refuses = (c.moved or c.known_for ~= '0') and refuses
    local is_planned = c.is_planned or c.at >= c.same_from and make_plan(c, c.about)
    if is_planned and not (is_indexed and c.refuses) then
      if c.moved and not c.is_followed then member = moved_now(c, member) end
      local count = is_indexed and index_now or count_now
      done, outcome = pcall(count, c, member, delta, event[2], c.at, known_as, is_bounded, c.sequence, event[5])
    end
  end
  if done and not outcome and not is_indexed and not c.is_unfit then
    done, outcome = pcall(finish_now, c, member, delta, c.at)
  end
  if done and outcome then
    if c.turns then turn_full(c, c.turns) end
    return outcome
  end
  if done == false or is_indexed and c.added > 0 then
    take_back(c, member, delta, known_as)
    c.put, c.id_key = nil, nil
  end
  if done == false then return untouched(outcome) end
  return nil
end
