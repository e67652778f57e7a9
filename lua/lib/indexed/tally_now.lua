-- tally_now: a tally after an action was counted once more, worth a whole number above zero, see tally. Whole numbers below 10^14 are written as they are.
local function tally_now(said, action, delta)
  local find, sub = string.find, string.sub
  local at, to = find(said, action .. ' ', 1, true)
  -- A name that has no letter may be a number.
  if at == 1 or at and string.byte(said, at - 1) == 32 and find(action, '%l') then
    local _, last, often, much = find(said, '^(%d+) (%d+)', to + 1)
    local after = last and string.byte(said, last + 1)
    if last and #much < 14 and (not after or after == 32) then
      return sub(said, 1, to) .. string.format('%d %d', often + 1, much + delta) .. sub(said, last + 1)
    end
  end
  return tally(said, action, 1, delta, true)
end
