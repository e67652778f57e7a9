-- rank_after: the rank, from the lowest score, at which the members after a place of a sorted set begin. The place is a score, as
-- Redis writes it, and a member. Who is not written keeps that place, so a scan goes on behind it whatever others do.
local function rank_after(key, score, member)
  local call = redis.call
  if call('ZSCORE', key, member) == score then return call('ZRANK', key, member) + 1 end
  -- Redis orders members of one score by their bytes; Lua's own comparison goes by the locale.
  local function stands_behind(other)
    for i = 1, math.min(#other, #member) do
      local theirs, own = string.byte(other, i), string.byte(member, i)
      if theirs ~= own then return theirs > own end
    end
    return #other > #member
  end
  local low, high = call('ZCOUNT', key, '-inf', '(' .. score), call('ZCOUNT', key, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if stands_behind(call('ZRANGE', key, middle, middle)[1]) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end
