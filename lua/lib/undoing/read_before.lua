-- read_before: the sequence numbers in a word of sequences_before, by unit.
local function read_before(word)
  local before = {}
  for units, sequence in string.gmatch(word, '(%a+)(%d+)') do
    for unit in string.gmatch(units, '%a') do
      before[unit] = tonumber(sequence)
    end
  end
  return before
end
