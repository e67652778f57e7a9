-- is_base_right: whether a rolling board, as loaded, is whole: it carries its mark, and none of the base boards that were read is gone.
local function is_base_right(c, window, now, leaving)
  if window.is_fresh then return true end
  if not now.marked or (leaving and not leaving.marked) then return false end
  for _, period in ipairs(c.period_list) do
    if period.unit == window.unit and period.board and not period.board.marked then
      if string.find(window.made, ' ' .. period.number .. ' ', 1, true) then return false end
    end
  end
  return true
end
