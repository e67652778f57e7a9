-- forget_counted: what a batch lets the state note of its `stood`, see forget_stood. A board that is new may have gone before its time.
local function forget_counted(c)
  for _, board in ipairs(c.board_list) do
    if board.made then return forget_stood(c.stood) end
  end
  return forget_stood(c.stood, c.batch.names)
end
