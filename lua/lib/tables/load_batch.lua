-- load_batch: reads what counting a batch will look at, each key with one command for all members.
local function load_batch(c)
  local names, keeps_actions = c.batch.names, c.indexes.actions
  for _, group in ipairs(c.group_list) do
    for _, period in ipairs(group.periods) do
      if period.board then want_members(period.board, group.members) end
      if period.board and c.indexes.policy then want_values(c, period, group.members) end
      for i = 1, period.kept and keeps_actions and #group.members or 0 do
        want_field(hash_of(c, period.key .. ':actions'), names[group.members[i]])
      end
    end
  end
  if c.decaying ~= '' then
    for _, entry in ipairs(c.entries) do
      want_fading(c, entry)
    end
  end
  for _, board in ipairs(c.board_list) do
    load_board(c, board)
  end
  for _, hash in ipairs(c.hash_list) do
    load_hash(hash)
  end
end
