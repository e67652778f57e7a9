-- tallies: counts and sums by action of a member.

-- tally_words: the words of a tally for one action.
local function tally_words(action, count, sum)
  if sum % 1 == 0 and sum > -2 ^ 53 and sum < 2 ^ 53 then return string.format('%s %d %d', action, count, sum) end
  return string.format('%s %d %.17g', action, count, sum)
end

-- tally: what a member did on a board, by action ("action count sum …"), after an action was counted `count` times more, worth so much; false when
-- nothing is left. `said` is the tally of before, if any.
local function tally(said, action, count, worth, decimal)
  if decimal then worth = round_decimals(worth) end
  -- Most members did one thing, and whole numbers below 10^14 are written as they are. On a decaying window one may be worth far more.
  local one, often, much = string.match(said or '', '^(%S+) (%d+) (%d+)$')
  if one == action and count > 0 and worth > 0 and worth % 1 == 0 and worth < 1e14 and #much < 14 then
    return string.format('%s %d %d', action, often + count, much + worth)
  end
  local words, found = {}, false
  for name, times, sum in string.gmatch(said or '', '(%S+) (%S+) (%S+)') do
    local counted, summed = tonumber(times), tonumber(sum)
    if name == action then
      found, counted, summed = true, counted + count, summed + worth
      if decimal then summed = round_decimals(summed) end
    end
    if counted ~= 0 then words[#words + 1] = tally_words(name, counted, summed) end
  end
  if not found then words[#words + 1] = tally_words(action, count, worth) end
  return #words > 0 and table.concat(words, ' ')
end

-- add_tally: two tallies of a member as one, see tally; false when nothing is left.
local function add_tally(said, more)
  for action, count, sum in string.gmatch(more, '(%S+) (%S+) (%S+)') do
    said = tally(said or '', action, tonumber(count), tonumber(sum), true)
  end
  return said
end
