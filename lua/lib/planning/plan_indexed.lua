-- plan_indexed: the lines of the plan of an event of now on a board with indexes, or on the activity log: the boards of the units' periods, and
-- of each rolling window its board and the next one. nil where such an event takes more than index_now does, and where a window is
-- not as the state says.
local function plan_indexed(c, plan)
  c.indexes = read_indexes(c.options)
  settle_indexes(c)
  local indexes, lines, has_scores = c.indexes, {}, not c.indexes['activity-log']
  local ties = indexes.ties
  if indexes.dense or indexes.entries or c.new_indexes or c.decaying ~= '' then return nil end
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    lines[i] = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
  end
  for _, window in ipairs(c.windows) do
    local current = period_number(window.unit, c, c.week_starts_on)
    if window.said ~= 'broken' then
      local key, leaving = window_key(c.board, window.name, current), current - window.length + 1
      local is_leaving = string.find(window.made, ' ' .. leaving .. ' ', 1, true)
      if string.sub(window.said, 1, 6) ~= 'whole ' or string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then return nil end
      if not redis.call('ZSCORE', key, whole_mark(c.generation)) then return nil end
      if is_leaving and not redis.call('ZSCORE', period_key(c.board, window.unit, leaving), '\0') then return nil end
      lines[#lines + 1], lines[#lines + 2] = key, window_key(c.board, window.name, current + 1)
    end
  end
  plan[6], plan[7], plan[8] = ties or has_scores and '-' or '', c.index_generation, indexes.actions and '1' or ''
  return lines
end
