-- values: boards of values: which of two values a member keeps, and what stands beside it.
-- @use boards, hashes, ids, indexes, limits, planning

-- keeps_greatest: whether a member keeps a value instead of the one that it has: if it is greater.
local function keeps_greatest(value, old) return value > old end

-- keeps_latest: whether a member keeps a value instead of the one that it has: if it happened later, or was sent later and happened at the same
-- time. `at` and `old_at` are the instants (milliseconds).
local function keeps_latest(_, _, at, old_at) return at >= old_at end

-- keeps_least: whether a member keeps a value instead of the one that it has: if it is less.
local function keeps_least(value, old) return value < old end

-- policy_of: the function that tells whether a member of a board keeps a value instead of the one that it has.
local function policy_of(c)
  local policies = { greatest = keeps_greatest, least = keeps_least, latest = keeps_latest }
  return policies[c.indexes.policy]
end

-- has_instants: whether a policy keeps a value by when it happened, so that the instants of values are kept beside them.
local function has_instants(policy) return policy == 'latest' end

-- want_values: lets load_hash read what a batch's members of a period have beside their values.
local function want_values(c, period, members)
  local names = c.batch.names
  for i = 1, #members do
    want_field(hash_of(c.hashes, metas_key(period.key)), names[members[i]])
    if has_instants(c.indexes.policy) then want_field(hash_of(c.hashes, instants_key(period.key)), names[members[i]]) end
  end
end

-- best_values: the values of a plain batch that its members keep, as lists by the order in which they come up: their names, values, these as
-- text, and where senders are bounded their first events; and whether anything may stand beside values of now. nil where the batch is not plain: an
-- event is not of now, what is kept depends on the instant, or it has something beside its value.
local function best_values(c)
  local batch, same_from, keeps = c.batch, c.same_from, policy_of(c)
  if has_instants(c.indexes.policy) or c.indexes.ties or next(batch.metas) then return nil end
  local names, deltas, slots, firsts = {}, {}, {}, c.newcomers ~= '' and {}
  for e = 1, batch.count do
    if batch.outcomes[e] == 'c' then
      if batch.instants[e] < same_from then return nil end
      local member, value = batch.members[e], batch.deltas[e]
      local i = slots[member]
      if not i then
        i = #names + 1
        slots[member], names[i], deltas[i] = i, batch.names[member], value
        if firsts then firsts[i] = e end
      elseif keeps(value, deltas[i]) then
        deltas[i] = value
      end
    end
  end
  local texts, beside = {}, {}
  for i = 1, #names do
    texts[i] = string.format('%d', deltas[i])
  end
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    beside[i] = metas_key(period_key(c.board, unit, period_number(unit, c, c.week_starts_on)))
  end
  local has_metas = redis.call('EXISTS', unpack(beside)) > 0
  return { names = names, deltas = deltas, texts = texts, firsts = firsts, has_metas = has_metas, faded = {} }
end

-- plan_values: reads the values of members on a board, and plans what gives them those of `sums` that they keep instead. Answers whether
-- the board has its mark, and room for new members, whose senders must be able to put them there: `firsts` are their first events. Nothing
-- stands beside their values any more; sums.has_metas says whether something may.
local function plan_values(c, commands, key, unit, sums, firsts)
  local names, values, keeps, has_new = sums.names, sums.deltas, policy_of(c), 0
  local scores = redis.call('ZMSCORE', key, '\0', unpack(names))
  if not scores[1] then return false end
  local come, dropped = { 'ZADD', key }, { 'HDEL', metas_key(key) }
  for i = 1, #names do
    local old = scores[i + 1]
    if not old then has_new = has_new + 1 end
    if not old and firsts and not may_join(c, firsts[i]) then return false end
    if not old or keeps(values[i], tonumber(old)) then
      come[#come + 1], come[#come + 2] = sums.texts[i], names[i]
      if sums.has_metas then dropped[#dropped + 1] = names[i] end
    end
  end
  if has_new > 0 and redis.call('ZCOUNT', key, '(-inf', '+inf') + has_new > most_members(c, unit) then return false end
  if come[3] then commands[#commands + 1] = come end
  if dropped[3] then commands[#commands + 1] = dropped end
  return true
end

-- keep_value: gives a member the value of an entry on a period's board, in tables, if the board's policy keeps it instead of `old` (0 for
-- none), and with it what stands beside. Its place among ties is that of the event that brought it to its score.
local function keep_value(c, entry, period, old)
  local board, member, name, e = period.board, entry.member, entry.name, entry.event
  local at, instants = entry.at, has_instants(c.indexes.policy) and hash_of(c.hashes, instants_key(period.key))
  local old_at = instants and tonumber(get_field(instants, name) or nil) or -1
  if old ~= 0 and not policy_of(c)(entry.delta, old, at, old_at) then return 'counted' end
  if instants then
    instants.board_key = period.key
    put_field(instants, name, string.format('%d', at))
  end
  local metas, meta = hash_of(c.hashes, metas_key(period.key)), c.batch.metas[e] or false
  metas.board_key = period.key
  if meta ~= get_field(metas, name) then put_field(metas, name, meta) end
  if board.sequence and entry.delta ~= old then board.sequence[member] = c.first_sequence + e end
  set_score(board, member, entry.delta)
  return 'counted'
end

-- read_instant: when the value of a member on the i-th board of a plan happened (text), where the latest counts, and whether one of this instant takes its
-- place; nil where no instants are kept yet.
local function read_instant(plan, i, member, at)
  local is_kept, old_at = unpack(redis.call('HMGET', plan.instants[i], '\0', member))
  if not is_kept then return nil end
  return old_at, keeps_latest(nil, nil, at, tonumber(old_at or -1))
end

-- read_beside: reads what stands beside the values of a member on boards of its plan, where a new one is better, by `is_better`, and its places in their orders
-- of ties. nil where `meta` is to stand there and nothing does yet on some board, or where an order is not kept.
local function read_beside(plan, member, is_better, meta)
  local call, beside, places = redis.call, {}, plan.ties and {}
  local is_kept, place
  local has_metas = meta or call('EXISTS', unpack(plan.metas)) > 0
  for i = 1, #plan.keys do
    if is_better[i] and has_metas then
      is_kept, beside[i] = unpack(call('HMGET', plan.metas[i], '\0', member))
      if meta and not is_kept then return nil end
    end
    if is_better[i] and places then
      is_kept, place = unpack(call('ZMSCORE', plan.orders[i], '\0', member))
      if not is_kept then return nil end
      places[i] = place and tonumber(place)
    end
  end
  return beside, places
end

-- replace_score: gives a member of a sorted set another score, or takes it out; false for none. `old` is what it has, for take_back.
local function replace_score(c, key, member, score, old)
  local put = c.put
  if score then
    redis.call('ZADD', key, score, member)
  else
    redis.call('ZREM', key, member)
  end
  put[#put + 1], put[#put + 2] = key, old
end

-- replace_field: gives a field of a hash another text, or takes it out; false for none. `old` is what it has, for take_back.
local function replace_field(c, key, field, text, old)
  local put = c.put_fields
  redis.call(unpack(text and { 'HSET', key, field, text } or { 'HDEL', key, field }))
  put[#put + 1], put[#put + 2] = key, old
end

-- read_values: what a member has on the boards of a plan, by their places: its values, false where it is new, and which of them a new one takes the place of;
-- then whether it does anywhere, and when the old ones happened (texts), where the latest counts. nil where a new member has no room, and where no instants
-- are kept yet.
local function read_values(c, member, value, at)
  local plan, old, is_better, has_better, old_at = c.plan, {}, {}, false, {}
  local keys, keeps = plan.keys, plan.policy == 'least' and keeps_least or keeps_greatest
  for i = 1, #keys do
    old[i] = tonumber(redis.call('ZSCORE', keys[i], member) or nil) or false
    if not old[i] and not has_room(c, i) then return nil end
    if plan.instants then
      old_at[i], is_better[i] = read_instant(plan, i, member, at)
      if is_better[i] == nil then return nil end
    end
    if not old[i] then
      is_better[i] = true
    elseif not plan.instants then
      is_better[i] = keeps(value, old[i])
    end
    has_better = has_better or is_better[i]
  end
  return old, is_better, has_better, old_at
end

-- values_after: the values of a member on the boards of a plan with a new one.
local function values_after(value, old, is_better)
  local after = {}
  for i = 1, #is_better do
    after[i] = is_better[i] and value or old[i]
  end
  return after
end

-- value_now: gives a member a value of now on those boards of its plan where it keeps that instead of the one that it has, and with it `meta`, what stands
-- beside it, or false. Answers its outcome; nil, and nothing was written, where more must be known.
-- `sequence` is the last number of the order of ties. c.put and c.put_fields are what goes, for take_back.
local function value_now(c, member, value, worth, at, id, newcomers, sequence, meta)
  local call, plan, state, beside, places = redis.call, c.plan, state_key(c.board), {}, nil
  local old, is_better, has_better, old_at = read_values(c, member, value, at)
  if not old then return nil end
  if has_better then
    beside, places = read_beside(plan, member, is_better, meta)
  end
  if not beside then return nil end
  if id ~= '' and remember_now(c, id) then return 'd' end
  local is_new = is_joining(c, old, newcomers)
  if is_new and not joins_now(c, newcomers) then return refuse_now(c, 'm') end
  local distinct = has_better and plan.distinct and read_distinct(plan, old, values_after(value, old, is_better))
  c.put, c.put_fields = {}, {}
  if has_better and plan.marks then mark_totals_now(c, member) end
  sequence = (sequence or 0) + 1
  local place = places and string.format('%.17g', pack_sort_key(value, sequence, plan.ties))
  for i = 1, has_better and #plan.keys or 0 do
    -- The same value again keeps its place.
    local is_other = is_better[i] and value ~= old[i]
    if is_other then replace_score(c, plan.keys[i], member, worth, old[i]) end
    if is_other and place then replace_score(c, plan.orders[i], member, place, places[i]) end
    if is_better[i] and meta ~= (beside[i] or false) then replace_field(c, plan.metas[i], member, meta, beside[i] or false) end
    if is_better[i] and plan.instants then replace_field(c, plan.instants[i], member, string.format('%d', at), old_at[i] or false) end
  end
  if distinct then put_distinct(distinct) end
  if is_new then store_joined(c) end
  if place then
    call('HSET', state, 'changed', c.instant, 'sequence', string.format('%d', sequence), unpack(fresh_plan(c)))
  else
    call('HSET', state, 'changed', c.instant, unpack(fresh_plan(c)))
  end
  return 'c'
end
