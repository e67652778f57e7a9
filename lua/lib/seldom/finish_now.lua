-- finish_now: does what is left of an event of now, see count_now. Answers its outcome.
local function finish_now(c, member, delta, at)
  local made, refusals, fields = {}, 0, { 'changed', c.now_us, unpack(c.new_plan or {}) }
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
  if c.decaying ~= '' then
    faded, full = fade_rest(c, member, delta, at)
  end
  if made[1] then finish_periods(c, made) end
  local is_counted = faded or refusals < #c.units
  -- How many were refused is shown, too.
  if c.newcomer_counts and is_counted then store_newcomers(c) end
  for _, text in ipairs(c.newcomers_state or {}) do
    fields[#fields + 1] = text
  end
  if is_counted or refusals > 0 then redis.call('HSET', state_key(c.board), unpack(fields)) end
  if is_counted then return 'c' end
  return refuse_now(c, (refusals > 0 or full) and 'r' or 'o')
end
