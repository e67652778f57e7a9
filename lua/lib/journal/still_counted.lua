-- still_counted: those of some noted events that still count: they were not undone, and their member was not removed from the board since.
-- Also those that were undone. What became another member counts for that.
local function still_counted(c, found)
  local digests, names, undone, moved, left, others = {}, {}, {}, {}, {}, {}
  for i, noted in ipairs(found) do
    digests[i], names[i] = undone_digest(noted.recorded, noted.sequence, noted.what, noted.who), noted.member
  end
  if #found > 0 then
    undone = redis.call('SMISMEMBER', journal_undone_key(c.board), unpack(digests))
    moved = c.moved and follow_moved(c, names, find_moved) or {}
  end
  for i, noted in ipairs(found) do
    noted.member = names[i]
    local moved_at = moved[i] and tonumber(string.match(moved[i], '%d+$')) or -1
    if noted.verb == 'r' and undone[i] == 1 then
      others[#others + 1] = noted
    elseif tonumber(noted.recorded) > moved_at then
      left[#left + 1] = noted
    end
  end
  return left, others
end
