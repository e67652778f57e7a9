-- place_indexed: gives a member its places in the orders of ties of so many boards, by its scores there. `ending` is that of the orders' names. The last
-- order was not read, so it is written first. Answers whether the member was in it.
local function place_indexed(keys, count, ending, member, scores, sequence)
  local ties, score, place = string.sub(ending, 2, 2) == 'f' and 'first' or 'last', nil, ''
  for i = count, 1, -1 do
    if scores[i] ~= score then
      score = scores[i]
      place = string.format('%.17g', pack_sort_key(score + 0, sequence, ties))
    end
    if i < count then
      redis.call('ZADD', keys[i] .. ending, place, member)
    elseif redis.call('ZADD', keys[i] .. ending, 'XX', 'CH', place, member) == 0 then
      return false
    end
  end
  return true
end
