-- best_values: the values of a plain batch that its members keep, as lists by the order in which they come up: their names, values, these as
-- text, and where senders are bounded their first events; and whether anything may stand beside values of now. nil where the batch is not plain: an event is not of now, what is kept depends on
-- the instant, or it has something beside its value.
local function best_values(c)
  local batch, same_from, keeps = c.batch, c.same_from, policy_of(c)
  if c.indexes.policy == 'latest' or c.indexes.ties or next(batch.metas) then return nil end
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
