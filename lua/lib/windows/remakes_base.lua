-- remakes_base: whether a batch counts on a base board of a rolling window that was made before, and is gone.
local function remakes_base(c, window)
  for _, period in ipairs(c.period_list) do
    if period.unit == window.unit and period.board and not period.board.marked then
      if string.find(window.made, ' ' .. period.number .. ' ', 1, true) then return true end
    end
  end
  return false
end
