-- plan_plain: counts a plain batch: all its events are of now, of one action, and add to their members, none is there twice, and everything that
-- they count on is there. Reads each key once, and answers the commands that write it; nil where the batch or a key is not so: nothing was changed.
local function plan_plain(c)
  local indexes, commands = c.indexes, {}
  if not (c.batch.adds and c.is_usual) or indexes.dense or c.new_indexes or c.is_between or c.changed ~= '' then return nil end
  if c.newcomers ~= '' and c.units == '' or c.batch.repeats then return nil end
  if indexes.actions and c.decaying ~= '' then return nil end
  for _, window in ipairs(c.windows) do
    if window.said ~= 'broken' and string.sub(window.said, 1, 6) ~= 'whole ' then return nil end
  end
  local sums = (indexes.policy and best_values or sum_members)(c)
  if not sums then return nil end
  if not sums.names[1] then return commands end
  if not indexes['activity-log'] then commands[1] = { 'HSET', state_key(c.board), 'changed', c.now_us } end
  if sums.sequences then
    commands[1][5], commands[1][6] = 'sequence', string.format('%d', c.first_sequence + c.batch.count)
  end
  for i = #c.units, 1, -1 do
    if not plan_period(c, commands, string.sub(c.units, i, i), sums) then return nil end
  end
  for _, window in ipairs(c.windows) do
    if window.said ~= 'broken' and not plan_rolling(c, commands, window, sums) then return nil end
  end
  for w, window in ipairs(c.decaying_windows or {}) do
    local key = window_key(c.board, window.name, window.number)
    if not plan_board(c, commands, key, ':' .. window.name, sums.names, sums.faded[w]) then return nil end
  end
  for _, text in ipairs(c.newcomers_state or {}) do
    commands[1][#commands[1] + 1] = text
  end
  return commands
end
