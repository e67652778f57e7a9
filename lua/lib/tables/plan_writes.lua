-- plan_writes: reads what the store phase must know of the keys that it will write: whether it makes a board, whether that is one of
-- before marks, how its distinct scores change, the counters of refusals, and whom it changes in archived periods.
local function plan_writes(c)
  for _, board in ipairs(c.board_list) do
    if board.is_changed and not board.rolls and not board.marked then
      board.is_unmarked, board.made = true, board_size(board) - board.growth == 0
    elseif board.rolls and not board.marked then
      board.is_unmarked, board.made = true, true
    end
    if board.is_changed and c.indexes.dense and not board.fading then load_distinct(c, board) end
  end
  for _, period in ipairs(c.period_list) do
    if period.refused > 0 then redis.call('GET', period.key .. ':refused') end
  end
  if c.archived ~= '' or c.begun then want_behind(c) end
  for _, broken in ipairs(c.broken) do
    redis.call('ZSCORE', window_key(c.board, broken[1].name, broken[2] + 1), '\0')
  end
end
