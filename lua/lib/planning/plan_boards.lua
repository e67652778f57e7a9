-- plan_boards: plans the boards of an event of now where there are no indexes, the longest periods first, see make_plan. Rolling windows are
-- planned where all of them are whole. Answers the lines of a half-life.
local function plan_boards(c, plan)
  local boards, fading, are_whole = plan.boards, plan_fading(c, plan), true
  for i = #c.units, 1, -1 do
    local unit = string.sub(c.units, i, i)
    boards[#boards + 1] = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
  end
  for _, window in ipairs(c.windows) do
    are_whole = are_whole and string.sub(window.said, 1, 6) == 'whole '
  end
  for _, window in ipairs(are_whole and c.windows or {}) do
    local current = period_number(window.unit, c, c.week_starts_on)
    boards[#boards + 1], boards[#boards + 2] = window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1)
    plan.rolled = plan.rolled + 2
  end
  plan.has_more = plan.has_more or not are_whole
  return fading
end
