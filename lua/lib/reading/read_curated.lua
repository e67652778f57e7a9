-- read_curated: who stands elsewhere than by the score on a board, see read_lists. Answers a table:
-- - members: the hidden ones and the pinned ones; is_moved: the same as a set
-- - pins: the pinned ones that are not hidden, in their order; pin_of: their places by member, without gaps
local function read_curated(board, clock)
  local lists = read_lists(board, clock)
  local members, pins, pin_of, is_moved = lists.hidden, {}, {}, lists.is_hidden
  for i = 1, #lists.pinned do
    local member = lists.pinned[i]
    if not is_moved[member] then
      pins[#pins + 1], pin_of[member] = member, #pins + 1
      members[#members + 1], is_moved[member] = member, true
    end
  end
  return { members = members, is_moved = is_moved, pins = pins, pin_of = pin_of }
end
