-- tally_words: the words of a tally for one action.
local function tally_words(action, count, sum)
  if sum % 1 == 0 and sum > -2 ^ 53 and sum < 2 ^ 53 then return string.format('%s %d %d', action, count, sum) end
  return string.format('%s %d %.17g', action, count, sum)
end
