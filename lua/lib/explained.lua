-- explained: what a member's score is made of.
-- @use windows, zones

-- add_part: what a member has on the board of a key, added to the parts of an explanation. Answers its sum.
local function add_part(parts, key, period, starts_at, member)
  local sum, actions = redis.call('ZSCORE', key, member), redis.call('HGET', actions_key(key), member)
  if not sum and not actions then return 0 end
  local part = { period, starts_at or '', string.format('%.17g', tonumber(sum or 0)), actions or '' }
  for i = 1, #part do
    parts[#parts + 1] = part[i]
  end
  return tonumber(sum or 0)
end

-- add_base_parts: what a member has on the base boards of a rolling window that find_window found, added to the parts of an
-- explanation: of the latest `most`, or of those before another one. Answers the sum, which is the truth whether the rolling board is whole or
-- not, and the first period that was read where there are others before it, else ''. It is complete while no base board that was made is gone.
local function add_base_parts(found, member, week_starts_on, parts, before, most)
  local asked, clock, total = found.asked, found.clock, 0
  local begins, last = found.period - asked.length + 1, math.min(before and before - 1 or found.period, found.period)
  local first = math.max(begins, last - most + 1)
  for period = first, last do
    local starts_at = period_bounds(clock.rows, asked.unit, period, week_starts_on)
    total = round_decimals(total + add_part(parts, period_key(found.board, asked.unit, period), period, starts_at, member))
  end
  local made = clock.state['made:' .. asked.unit]
  found.complete = not clock.is_behind and bases_exist(found.board, asked.unit, found.period, asked.length, made)
  return total, first > begins and first or ''
end
