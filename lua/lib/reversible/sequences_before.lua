-- sequences_before: the sequence numbers that a tracked action's member had before it, by unit, as one word: "hd12m7". Most units have the
-- same number, so each is written once, after its units.
local function sequences_before(c, tracked)
  local units_of, words = {}, {}
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local sequence = tracked.before[unit] or 0
    if sequence ~= 0 then units_of[sequence] = (units_of[sequence] or '') .. unit end
  end
  for sequence, units in pairs(units_of) do
    words[#words + 1] = units .. string.format('%d', sequence)
  end
  return table.concat(words)
end
