-- rest_of_event: what an event of now leaves to do: new members, full boards, windows that fade, rolling windows that are not whole.
-- @use batch_parts, becoming, boards, decay, event_now, fading_boards, ids, joining, limits, period_boards, planning, removed, window_notes, windows

-- check_now: finishes additions to periods' boards that may have made the member or the board, see check_sum. Lists the boards that were
-- made, notes in c.refused the units that refused the member, and answers how many these are.
local function check_now(c, member, delta, made)
  local units, sums, refusals = c.units, c.sums, 0
  for i = #units, 1, -1 do
    local unit, key = string.sub(units, i, i), c.plan.keys[#units + 1 - i]
    local outcome = sums[i] and check_sum(c, key, unit, member, delta, read_number(sums[i]))
    local number = outcome and period_number(unit, c, c.week_starts_on)
    if outcome == 'made' then
      made[#made + 1] = { key = key, unit = unit, number = number, index = i }
    elseif outcome == 'full' then
      c.refused[i], refusals = true, refusals + 1
      count_refusals(c, key, unit, number, 1)
    end
  end
  return refusals
end

-- moved_now: the member that an event of now counts for: what its member became, where it became another one. Notes in c.stored_now what is said of
-- it, see find_moved, and that it is done.
local function moved_now(c, member)
  local names = { member }
  c.stored_now, c.is_followed = follow_moved(c.board, c.moved, names, find_moved)[1], true
  return names[1]
end

-- put_now: gives a member of a rolling board its score. `old` is the one that it has, for take_back; of a member that is not on the next
-- board yet, where zeros are not kept either, only that. Answers whether the member is new.
local function put_now(c, key, member, old, score)
  local added = 0
  if score == 0 then
    redis.call('ZREM', key, member)
  else
    added = redis.call('ZADD', key, text_of(score), member)
  end
  local put, last = c.put, #c.put
  put[last + 1], put[last + 2] = key, added == 0 and old ~= 0 and old
  return added == 1
end

-- read_bases: what the base boards of a rolling window that leave and come hold of a member, where the window's state knows of them. Answers
-- whether the board that leaves has its mark, and both scores.
local function read_bases(c, window, current, member)
  local call, leaving, coming = redis.call, { true }, nil
  local first = current - window.length + 1
  if string.find(window.made, ' ' .. text_of(first) .. ' ', 1, true) then
    leaving = call('ZMSCORE', period_key(c.board, window.unit, first), '\0', member)
  end
  if leaving[1] and string.find(window.made, ' ' .. text_of(current + 1) .. ' ', 1, true) then
    coming = call('ZSCORE', period_key(c.board, window.unit, current + 1), member)
  end
  return leaving[1], leaving[2], coming
end

-- fade_rest: counts an event of now on the boards of the decaying windows, by its own time, unless fade_now did. Answers whether any took it,
-- and whether any refused it, since the member is new and the board is full. These sums cannot be taken back exactly, so all but the
-- last are read before.
local function fade_rest(c, member, delta, at)
  local call, any, any_full = redis.call, false, false
  local fades = c.faded and { c.faded } or find_fades(c, delta, at)
  for i = 1, #fades do
    local key, value, sum = fades[i].key, fades[i].value, fades[i].sum
    if not sum then
      if i < #fades then
        local last = #c.put
        c.put[last + 1], c.put[last + 2] = key, tonumber(call('ZSCORE', key, member) or nil) or false
      end
      sum = tonumber(call('ZINCRBY', key, string.format('%.17g', value), member))
    end
    local is_full = sum == value and begin_fading(c, fades[i], member)
    if is_residue(sum, value, fades[i].window) then call('ZREM', key, member) end
    any, any_full = any or not is_full, any_full or is_full
    if is_full then
      c.full_fades = c.full_fades or {}
      c.full_fades[fades[i].name] = true
    end
  end
  return any, any_full
end

-- refuses: the outcome of an event of now whose member does not count: g when it is kept off, x when it was not announced.
-- Else nil.
local function refuses(c, member)
  local stored = c.stored_now
  if stored and string.sub(stored, 1, 3) == 'off' then return 'g' end
  return c.known_for ~= '0' and is_unknown(c, member) and 'x' or nil
end

-- roll_now: brings a rolling window up to date with one event of now. c.lost lists the windows that are not as they should be, and those whose
-- next board was made, with its number.
local function roll_now(c, window, member, delta)
  local call, current = redis.call, period_number(window.unit, c, c.week_starts_on)
  if window.stored == 'repair ' .. current then call('SADD', touched_key(c.board, window.name), member) end
  if string.sub(window.stored, 1, 6) ~= 'whole ' then return end
  local key, next_key = window_key(c.board, window.name, text_of(current)), window_key(c.board, window.name, text_of(current + 1))
  local scores = call('ZMSCORE', key, whole_mark(c.generation), member)
  local is_right, leaving, coming = read_bases(c, window, current, member)
  if not (scores[1] and is_right) then
    c.lost[#c.lost + 1] = { window }
    return
  end
  local old = tonumber(scores[2] or 0)
  local sum = round_decimals(old + delta)
  put_now(c, key, member, old, sum)
  if
    put_now(c, next_key, member, next_score(old, leaving, coming), next_score(sum, leaving, coming)) and not call('ZSCORE', next_key, '\0')
  then
    c.lost[#c.lost + 1] = { window, current + 1 }
  end
end

-- count_filtered: counts an event of now whose plan says that its member is to be looked at, as planned. Answers whether that was done, false where it
-- failed, and its outcome.
local function count_filtered(c, event, delta)
  local moved = c.plan.moved
  c.moved = moved ~= '' and moved or nil
  if c.moved then event[1] = moved_now(c, event[1]) end
  c.refuses = (c.moved or c.known_for ~= '0') and refuses
  local count = (c.options or delta % 1 ~= 0) and index_now or count_now
  return pcall(count, c, event[1], delta, event[2], c.at, c.known_as, c.newcomers, c.sequence, event[5])
end

-- roll_rest: brings the rolling windows up to date with an event of now where count_now did not. `made` are the periods' boards that the event
-- made: the base board of now among them was there before if the window's state lists it, and so is gone.
local function roll_rest(c, member, delta, made)
  local rolled = math.max(c.added - #c.units, 0)
  if c.is_lone then
    rolled = math.floor((rolled - 1) / 2) * 2
    take_added(c, member, delta, #c.units + rolled + 1)
  end
  for w = rolled / 2 + 1, #c.windows do
    local window = c.windows[w]
    if is_remade(window, made) then
      c.lost[#c.lost + 1] = { window }
    elseif not c.refused[window.index] then
      roll_now(c, window, member, delta)
    end
  end
end

-- finish_now: does what is left of an event of now, see count_now. Answers its outcome.
local function finish_now(c, member, delta, at)
  local made, refusals = {}, 0
  c.refused, c.lost, c.put = {}, {}, {}
  if c.sums then
    if crowds_now(c, member, delta) then return 'm' end
    refusals = check_now(c, member, delta, made)
  end
  roll_rest(c, member, delta, made)
  for _, lost in ipairs(c.lost) do
    local window, next_number = lost[1], lost[2]
    if next_number then
      begin_window(c, window, next_number)
    else
      break_window(c.board, c, window.name, period_number(window.unit, c, c.week_starts_on))
    end
  end
  local faded, full
  -- What fade_now leaves is noted in c.faded.
  if not c.faded and c.plan.fading ~= '' and delta ~= 0 and fade_now(c, member, delta, at) then
    faded = true
  elseif c.decaying ~= '' then
    faded, full = fade_rest(c, member, delta, at)
  end
  if made[1] then finish_periods(c, made) end
  local is_counted = faded or refusals < #c.units
  -- How many were refused is shown, too.
  if c.newcomer_counts and is_counted then store_newcomers(c) end
  local fields = { 'changed', c.instant, unpack(fresh_plan(c)) }
  for _, text in ipairs(is_counted and begun_hour(c) or {}) do
    fields[#fields + 1] = text
  end
  if is_counted or refusals > 0 then set_state(c.board, unpack(fields)) end
  if is_counted then return 'c' end
  return refuse_now(c, (refusals > 0 or full) and 'r' or 'o')
end

-- count_planned: counts an event as planned, where c.is_planned says that c.plan is one, or as planned anew, where it is of now. Answers the
-- script's reply; nil where it is to be counted as a batch of one. For the rest see count_rare.
local function count_planned(c, event, delta, done, outcome)
  local is_indexed, member, known_as = c.options or delta % 1 ~= 0, event[1], c.known_as
  if c.is_simple and not (c.newcomers ~= '' and c.units == '') and done == nil then
    c.refuses = (c.moved or c.known_for ~= '0') and refuses
    if c.is_planned or c.at >= c.same_from and make_plan(c, c.about) then
      if c.moved and not c.is_followed then member = moved_now(c, member) end
      local count = is_indexed and index_now or count_now
      done, outcome = pcall(count, c, member, delta, event[2], c.at, known_as, c.newcomers, c.sequence, event[5])
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
    c.put, c.put_fields, c.id_key = nil, nil, nil
  end
  if done == false then return untouched(outcome) end
  return nil
end
