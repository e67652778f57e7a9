-- mark_changed: the command that notes that members changed in a period, for who hands totals on.
local function mark_changed(board, unit, number, names)
  local command, from = { 'SADD', changed_key(board, unit) }, string.format('%d:', number)
  for i = 1, #names do
    command[i + 2] = from .. names[i]
  end
  return command
end

-- unmark: takes back what a call noted so that was not noted before: of each a key and what was added there, in turn.
local function unmark(marked)
  for i = 1, #marked, 2 do
    redis.call('SREM', marked[i], marked[i + 1])
  end
end
