-- holders_below: how many members of a board have each of the next scores below one (text), with at most 500 members read. Answers
-- these as fields of a hash, the scores as members of a sorted set, the lowest of them, "-inf" when no lower one is left, and
-- how many members were read.
local function holders_below(key, from)
  local both = redis.call('ZREVRANGEBYSCORE', key, '(' .. from, '(-inf', 'WITHSCORES', 'LIMIT', 0, 500)
  local counted, distinct, holders = {}, {}, 0
  for i = 2, #both, 2 do
    holders = holders + 1
    if both[i] ~= both[i + 2] then
      -- More may have the last of these scores.
      if not both[i + 2] then holders = redis.call('ZCOUNT', key, both[i], both[i]) end
      local text = string.format('%.17g', tonumber(both[i]))
      counted[#counted + 1], counted[#counted + 2] = text, holders
      distinct[#distinct + 1], distinct[#distinct + 2] = text, text
      holders = 0
    end
  end
  return counted, distinct, #both == 1000 and both[1000] or '-inf', #both / 2
end
