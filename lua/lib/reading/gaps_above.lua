-- gaps_above: how many of the gaps (see count_shown) have more than a score.
local function gaps_above(gaps, score)
  local low, high = 0, #gaps
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if gaps[middle] > score then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end
