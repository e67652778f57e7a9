-- plan_boards: the lines of the plan of an event of now on a board without indexes, see make_plan.
local function plan_boards(c, plan)
  local lines = {}
  for i = #c.units, 1, -1 do
    local unit = string.sub(c.units, i, i)
    lines[#lines + 1] = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
  end
  for w = 1, #c.windows do
    plan_window(c, lines, c.windows[w])
  end
  lines[#lines + 1] = plan_fading(c, plan)
  return lines
end
