-- check_now: finishes additions to periods' boards that may have made the member or the board, see check_sum. Lists the boards that were
-- made, notes in c.refused the units that refused the member, and answers how many these are.
local function check_now(c, member, delta, made)
  local units, refusals = c.units, 0
  for i = #units, 1, -1 do
    if c.sums[i] then
      local unit = string.sub(units, i, i)
      local number = period_number(unit, c, c.week_starts_on)
      local key = period_key(c.board, unit, number)
      local outcome = check_sum(c, key, unit, member, delta, tonumber(c.sums[i]))
      if outcome == 'made' then
        made[#made + 1] = { key = key, unit = unit, number = number, index = i }
      elseif outcome == 'full' then
        c.refused[i], refusals = true, refusals + 1
        count_refusals(c, key, unit, number, 1)
      end
    end
  end
  return refusals
end
