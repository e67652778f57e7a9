-- store_batch: the second half of count_batch: writes each changed key once, and gives new ones their expiry.
-- c.is_begun says that something is counted.
local function store_batch(c, remembered)
  local call = redis.call
  if #remembered > 0 then remember_ids(c, remembered) end
  store_salts(c)
  store_state(c)
  if c.newcomer_counts then store_newcomers(c) end
  for _, board in ipairs(c.board_list) do
    store_board(c, board)
    c.is_begun = true
    if board.is_changed and board.is_unmarked then finish_board(c, board) end
  end
  if c.changed ~= '' then mark_counted(c) end
  if c.behind then store_behind(c) end
  store_marks(c)
  for _, touched in ipairs(c.touched) do
    call('SADD', touched[1], unpack(touched[2]))
  end
  for _, broken in ipairs(c.broken) do
    break_window(c.board, c, broken[1].name, broken[2])
  end
  if c.indexes.entries then store_entries(c) end
  for _, period in ipairs(c.period_list) do
    if period.refused > 0 then count_refusals(c, period.key, period.unit, period.number, period.refused) end
  end
end
