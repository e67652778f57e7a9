-- tally: what a member did on a board, "action count sum …", after an action was counted `count` times more, worth so much; false
-- when nothing is left.
local function tally(said, action, count, worth, decimal)
  if decimal then worth = round_decimals(worth) end
  local words, found = {}, false
  for name, times, sum in string.gmatch(said or '', '(%S+) (%S+) (%S+)') do
    local counted, summed = tonumber(times), tonumber(sum)
    if name == action then
      found, counted, summed = true, counted + count, summed + worth
      if decimal then summed = round_decimals(summed) end
    end
    if counted ~= 0 then words[#words + 1] = string.format('%s %d %.17g', name, counted, summed) end
  end
  if not found then words[#words + 1] = string.format('%s %d %.17g', action, count, worth) end
  return #words > 0 and table.concat(words, ' ')
end
