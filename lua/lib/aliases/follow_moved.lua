-- follow_moved: what `find` answers of some names, see find_moved; of one that became another one, what it says of that. In the list such
-- names are replaced by what they became: "to 1795176000000 /new" is said of one. Answers as well whether there was any.
local function follow_moved(c, names, find)
  local MOST_STEPS, found, slots, asked, is_any = 16, {}, {}, names, false
  for i = 1, #names do
    slots[i] = i
  end
  for _ = 1, MOST_STEPS do
    local said, next_slots, next_asked = find(c, asked), {}, {}
    for a = 1, #slots do
      local slot, becomes = slots[a], string.match(said[a] or '', '^to %d+ (.+)$')
      found[slot] = not becomes and said[a] or nil
      if becomes then
        names[slot], next_slots[#next_slots + 1], next_asked[#next_asked + 1], is_any = becomes, slot, becomes, true
      end
    end
    if #next_slots == 0 then break end
    slots, asked = next_slots, next_asked
  end
  return found, is_any
end
