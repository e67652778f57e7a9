-- plan_window: plans a rolling window, in three lines. Of a whole one its board, the next one, and "leaving coming": the base boards that the
-- state knows of, empty where it knows of none. Of one under repair nothing, and the set of who is written meanwhile. Of a broken
-- one nothing.
local function plan_window(c, lines, window)
  local current, at = period_number(window.unit, c, c.week_starts_on), #lines
  local key, next_key, bases = '', '', ' '
  if window.said == 'repair ' .. current then
    next_key = touched_key(c.board, window.name)
  elseif string.sub(window.said, 1, 6) == 'whole ' then
    key, next_key = window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1)
    local leaving, coming = current - window.length + 1, current + 1
    if string.find(window.made, ' ' .. leaving .. ' ', 1, true) then bases = period_key(c.board, window.unit, leaving) .. bases end
    if string.find(window.made, ' ' .. coming .. ' ', 1, true) then bases = bases .. period_key(c.board, window.unit, coming) end
  end
  lines[at + 1], lines[at + 2], lines[at + 3] = key, next_key, bases == ' ' and '' or bases
end
