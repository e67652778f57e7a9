-- is_remade: whether an event made the current base board of a rolling window though it was made before: then it was gone.
local function is_remade(window, made)
  for _, period in ipairs(made) do
    if period.index == window.index then return string.find(window.made, ' ' .. period.number .. ' ', 1, true) ~= nil end
  end
  return false
end
