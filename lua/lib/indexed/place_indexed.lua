-- place_indexed: gives a member its places in the orders of ties of boards, by its scores there. The last order was not read, so it is written
-- first. Answers whether the member was in it.
local function place_indexed(keys, ending, member, scores, sequence, ties)
  local score, place = nil, ''
  for i = #keys, 1, -1 do
    if scores[i] ~= score then
      score = scores[i]
      place = string.format('%.17g', pack_sort_key(score, sequence, ties))
    end
    if i < #keys then
      redis.call('ZADD', keys[i] .. ending, place, member)
    elseif redis.call('ZADD', keys[i] .. ending, 'XX', 'CH', place, member) == 0 then
      return false
    end
  end
  return true
end
