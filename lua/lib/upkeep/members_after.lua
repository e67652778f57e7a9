-- members_after: at most `count` members of a sorted set behind a place, from the lowest score on; '' is the place before all.
-- Answers the members without marks, their scores, and the place to go on from; nil when these were the last.
local function members_after(key, place, count)
  local from = 0
  if place ~= '' then
    local score, member = string.match(place, '^(%S+) (.*)$')
    from = rank_after(key, score, member)
  end
  local both, members, scores, first = redis.call('ZRANGE', key, from, from + count - 1, 'WITHSCORES'), {}, {}, 1
  while both[first + 1] == '-inf' do
    first = first + 2
  end
  for i = first, #both, 2 do
    members[#members + 1], scores[#scores + 1] = both[i], tonumber(both[i + 1])
  end
  return members, scores, #both == 2 * count and both[#both] .. ' ' .. both[#both - 1] or nil
end
