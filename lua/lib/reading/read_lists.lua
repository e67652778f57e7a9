-- read_lists: the hidden members of a board, and the pinned ones, see curate: those that are not hidden as well stand in their
-- order. Also is_hidden and place_of by member, and `last`, the greatest place. Layout 1 had a key for each list.
local function read_lists(board, clock)
  local is_hidden, place_of, hidden, pinned, last = {}, {}, {}, {}, 0
  local function note(member, hides, place)
    if hides then
      hidden[#hidden + 1], is_hidden[member] = member, true
    end
    if place > 0 then
      pinned[#pinned + 1], place_of[member], last = member, place, math.max(last, place)
    end
  end
  if clock.is_old and redis.call('EXISTS', board .. ':pinned', board .. ':hidden') > 0 then
    local members = redis.call('ZRANGE', board .. ':pinned', 0, -1, 'WITHSCORES')
    for i = 1, #members, 2 do
      note(members[i], false, tonumber(members[i + 1]))
    end
    for _, member in ipairs(redis.call('SMEMBERS', board .. ':hidden')) do
      note(member, true, 0)
    end
  elseif not clock.is_old then
    local members = redis.call('ZRANGE', curated_key(board), 0, -1, 'WITHSCORES')
    for i = 1, #members, 2 do
      local score = tonumber(members[i + 1])
      if not is_mark(members[i]) then note(members[i], score < 0, score < 0 and -1 - score or score) end
    end
  end
  return { hidden = hidden, pinned = pinned, is_hidden = is_hidden, place_of = place_of, last = last }
end
