-- merge_rolled: gives the two members their scores on the boards of a rolling window anew, after its base periods were merged. Boards of
-- before stay as they were at their end, but for these members.
local function merge_rolled(c, key, stage)
  if c.is_dry then return merge_entry(c, key, stage) end
  for near = stage.current - 2, stage.current - 1 do
    merge_entry(c, window_key(c.board, stage.window, near), stage)
  end
  assign_rolled(c, stage)
end
