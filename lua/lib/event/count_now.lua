-- count_now: counts one event of now, one write per window, unread where that is exact. Answers its outcome. c keeps what take_back
-- needs when a write fails.
local function count_now(c, member, delta, at, id)
  local call, board, hour, day = redis.call, c.board, c.hour, c.day
  c.counted, c.put = {}, {}
  local refusal = refuse_now(c, member, id)
  if refusal then return refusal end
  local units, counted, text = c.units, c.counted, string.format('%.0f', delta)
  local refused, made
  for i = 1, #units do
    local unit = string.sub(units, i, i)
    local number = period_number(unit, hour, day, c.week_starts_on)
    local key = period_key(board, unit, number)
    local sum = call('ZINCRBY', key, text, member)
    counted[i] = key
    if sum == text or sum == '0' or #sum > 14 then
      local outcome = check_sum(c, key, unit, member, delta, tonumber(sum))
      if outcome == 'full' then
        refused = refused or {}
        refused[i], refused.count, counted[i] = true, (refused.count or 0) + 1, false
        count_refusals(c, key, unit, number, 1)
      elseif outcome == 'made' then
        made = made or {}
        made[#made + 1] = { key = key, unit = unit, number = number, index = i }
      end
    end
  end
  for _, window in ipairs(c.windows) do
    if not (refused and refused[window.index]) then roll_now(c, window, member, delta, made) end
  end
  local faded, full
  if c.decaying ~= '' then
    faded, full = fade_now(c, member, delta, at)
  end
  if made then finish_periods(c, made) end
  local is_counted = faded or (refused and refused.count or 0) < #units
  -- How many were refused is shown, too.
  if is_counted or refused then call('HSET', state_key(board), 'changed', c.now_us) end
  if is_counted then return 'c' end
  return (refused or full) and 'r' or 'o'
end
