-- tallies: counts and sums by action of a member.

-- tally_words: the words of a tally for one action.
local function tally_words(action, count, sum) return action .. ' ' .. text_of(count) .. ' ' .. text_of(sum) end

-- find_tally: where the words of an action stand in a tally, from and to, and the count and the sum that they tell; nil where it has none.
local function find_tally(stored, action)
  local from, to = string.find(stored, action .. ' ', 1, true)
  if not from then return nil end
  -- A name that has no letter may be a number.
  if from == 1 or string.byte(stored, from - 1) == 32 and string.find(action, '%l') then
    local _, last, count, sum = string.find(stored, '^(%S+) (%S+)', to + 1)
    return from, last, count, sum
  end
  for at, name, count, sum, after in string.gmatch(stored, '()(%S+) (%S+) (%S+)()') do
    if name == action then return at, after - 1, count, sum end
  end
end

-- tally: what a member did on a board, by action ("action count sum …"), after an action was counted `count` times more, worth so much; false when
-- nothing is left. `said` is the tally of before, if any.
local function tally(stored, action, count, worth, decimal)
  if decimal then worth = round_decimals(worth) end
  stored = stored or ''
  local from, to, counted, sum = find_tally(stored, action)
  if not from then return (stored == '' and stored or stored .. ' ') .. tally_words(action, count, worth) end
  count, worth = counted + count, sum + worth
  if decimal then worth = round_decimals(worth) end
  if count ~= 0 then return string.sub(stored, 1, from - 1) .. tally_words(action, count, worth) .. string.sub(stored, to + 1) end
  stored = from == 1 and string.sub(stored, to + 2) or string.sub(stored, 1, from - 2) .. string.sub(stored, to + 1)
  return stored ~= '' and stored
end

-- add_tally: two tallies of a member as one, see tally; false when nothing is left.
local function add_tally(stored, more)
  for action, count, sum in string.gmatch(more, '(%S+) (%S+) (%S+)') do
    stored = tally(stored or '', action, tonumber(count), tonumber(sum), true)
  end
  return stored
end
