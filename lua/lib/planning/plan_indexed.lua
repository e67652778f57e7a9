-- plan_indexed: the lines of the plan of an event of now on a board with indexes, or on the activity log: of each unit's period the board, its order
-- of ties and its counts by action; of each rolling window the board, the next one, the base board that leaves, and the orders of
-- ties of the first two. What is not there is empty. nil where such an event takes more than index_now does.
local function plan_indexed(c, plan)
  c.indexes = read_indexes(c.options)
  settle_indexes(c)
  local indexes, lines, has_scores = c.indexes, {}, not c.indexes['activity-log']
  local ties = indexes.ties or ''
  if indexes.dense or c.new_indexes or c.decaying ~= '' then return nil end
  local function add(...)
    for _, line in ipairs({ ... }) do
      lines[#lines + 1] = line
    end
  end
  local function ties_of(key) return ties ~= '' and index_key(key, ties, c.index_generation) or '' end
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local key = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
    add(has_scores and key or '', has_scores and ties_of(key) or '', indexes.actions and key .. ':actions' or '')
  end
  for _, window in ipairs(c.windows) do
    local current = period_number(window.unit, c, c.week_starts_on)
    local key, next_key = window_key(c.board, window.name, current), window_key(c.board, window.name, current + 1)
    local leaving = current - window.length + 1
    local is_leaving = string.find(window.made, ' ' .. leaving .. ' ', 1, true)
    if window.said == 'broken' then
      add('', '', '', '', '')
    elseif string.sub(window.said, 1, 6) ~= 'whole ' or string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then
      return nil
    else
      add(key, next_key, is_leaving and period_key(c.board, window.unit, leaving) or '', ties_of(key), ties_of(next_key))
    end
  end
  plan[6] = ties ~= '' and ties or has_scores and '-' or ''
  return lines
end
