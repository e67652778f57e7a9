-- curated: who is hidden on a board, and who is pinned.

-- NOBODY: nobody, of whom nothing is ever noted.
local NOBODY = {}

-- read_lists: the hidden members of a board, and the pinned ones, see curate: those that are not hidden as well stand in their
-- order. Also is_hidden and place_of by member, and `last`, the greatest place.
local function read_lists(board)
  local members = redis.call('ZRANGE', curated_key(board), '0', '-1', 'WITHSCORES')
  if #members == 0 then return { hidden = NOBODY, pinned = NOBODY, is_hidden = NOBODY, place_of = NOBODY, last = 0 } end
  local is_hidden, place_of, hidden, pinned, last = {}, {}, {}, {}, 0
  local function note(member, hides, place)
    if hides then
      hidden[#hidden + 1], is_hidden[member] = member, true
    end
    if place > 0 then
      pinned[#pinned + 1], place_of[member], last = member, place, math.max(last, place)
    end
  end
  for i = 1, #members, 2 do
    local score = tonumber(members[i + 1])
    if not is_mark(members[i]) then note(members[i], score < 0, score < 0 and -1 - score or score) end
  end
  return { hidden = hidden, pinned = pinned, is_hidden = is_hidden, place_of = place_of, last = last }
end

-- read_curated: who stands elsewhere than by the score on a board, see read_lists. Answers a table:
-- - members: the hidden ones and the pinned ones; is_moved: the same as a set
-- - pins: the pinned ones that are not hidden, in their order; pin_of: their places by member, without gaps
local function read_curated(board)
  local lists = read_lists(board)
  local members, pins, pin_of, is_moved = lists.hidden, NOBODY, NOBODY, lists.is_hidden
  if #lists.pinned > 0 then
    pins, pin_of = {}, {}
  end
  for i = 1, #lists.pinned do
    local member = lists.pinned[i]
    if not is_moved[member] then
      pins[#pins + 1], pin_of[member] = member, #pins + 1
      members[#members + 1], is_moved[member] = member, true
    end
  end
  return { members = members, is_moved = is_moved, pins = pins, pin_of = pin_of }
end
