-- plan_indexed: plans the boards of an event of now where there are indexes, or on the activity log, see make_plan. nil where such an event takes more
-- than index_now does, and where a window is not as the state says. Else a line for a half-life, which is empty.
local function plan_indexed(c, plan)
  c.indexes = read_indexes(c.options)
  settle_indexes(c)
  local indexes, boards = c.indexes, plan.boards
  if indexes.dense or indexes.entries or indexes.policy or c.new_indexes or c.decaying ~= '' then return nil end
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    boards[i] = period_key(c.board, unit, period_number(unit, c, c.week_starts_on))
    if indexes.actions and not redis.call('HGET', boards[i] .. ':actions', '\0') then return nil end
  end
  for _, window in ipairs(c.windows) do
    local current = period_number(window.unit, c, c.week_starts_on)
    if window.said ~= 'broken' then
      local key, leaving = window_key(c.board, window.name, current), current - window.length + 1
      local is_leaving = string.find(window.made, ' ' .. leaving .. ' ', 1, true)
      if string.sub(window.said, 1, 6) ~= 'whole ' or string.find(window.made, ' ' .. current + 1 .. ' ', 1, true) then return nil end
      if not redis.call('ZSCORE', key, whole_mark(c.generation)) then return nil end
      if is_leaving and not redis.call('ZSCORE', period_key(c.board, window.unit, leaving), '\0') then return nil end
      boards[#boards + 1], boards[#boards + 2] = key, window_key(c.board, window.name, current + 1)
      plan.rolled = plan.rolled + 2
    end
  end
  plan.ending = indexes.ties and index_key('', indexes.ties, c.index_generation) or ''
  plan.has_actions, plan.has_scores = indexes.actions or false, not indexes['activity-log']
  return ''
end
