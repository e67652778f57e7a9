-- values: boards of values: which of two values a member keeps, and what stands beside it.
-- @use boards, hashes, limits

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
