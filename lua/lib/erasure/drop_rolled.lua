-- drop_rolled: gives the members c.members their scores on the boards of a rolling window anew: of what they got meanwhile. Older boards
-- are not kept.
local function drop_rolled(c, key, stage)
  if c.is_dry then return drop_members(c, key) end
  for near = stage.current - 2, stage.current + 1 do
    drop_members(c, window_key(c.board, stage.window, near))
  end
  assign_rolled(c, stage)
end
