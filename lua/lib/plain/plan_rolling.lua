-- plan_rolling: plans what brings a rolling window's board of now and its next one up to date with sums. false where one of them, or the
-- base board that leaves, is not as it should be.
local function plan_rolling(c, commands, window, sums)
  local call, unit, names, deltas = redis.call, window.unit, sums.names, sums.deltas
  local current, round, now, after = period_number(unit, c, c.week_starts_on), round_decimals, {}, {}
  local key, next_key = window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1)
  local last, leaving = current - window.length + 1, {}
  -- Only a clock that was ahead has counted in the period to come.
  if string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then return false end
  local scores = call('ZMSCORE', key, whole_mark(c.generation), unpack(names))
  if string.find(window.made, ' ' .. last .. ' ', 1, true) then
    leaving = call('ZMSCORE', period_key(c.board, unit, last), '\0', unpack(names))
    scores[1] = scores[1] and leaving[1]
  end
  if not (scores[1] and call('ZSCORE', next_key, '\0')) then return false end
  for i = 1, #names do
    local sum = (scores[i + 1] or 0) + deltas[i]
    if sum % 1 ~= 0 then sum = round(sum) end
    local rest = sum - (leaving[i + 1] or 0)
    now[i], after[i] = sum, rest % 1 == 0 and rest or round(rest)
  end
  plan_scores(commands, key, names, now)
  plan_scores(commands, next_key, names, after)
  if not c.indexes.ties then return true end
  return plan_ties(c, commands, key, sums, now) and plan_ties(c, commands, next_key, sums, after)
end
