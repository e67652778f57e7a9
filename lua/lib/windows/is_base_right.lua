-- is_base_right: whether a rolling board, as loaded, is whole: it carries its mark, and none of the base boards that were read is gone.
local function is_base_right(c, window, now, leaving)
  if window.is_fresh then return true end
  return now.marked and not (leaving and not leaving.marked) and not remakes_base(c, window)
end
