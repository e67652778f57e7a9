-- forget_best: forgets the best of what was moved aside, those that scan answers first.
local function forget_best(left, ties, count)
  local CHUNK, call = 1000, redis.call
  local order = left .. ':' .. ties
  local is_packed = ties ~= '' and call('ZCOUNT', order, '(-inf', '+inf') == call('ZCOUNT', left, '(-inf', '+inf')
  while count > 0 do
    local best = call('ZREVRANGE', is_packed and order or left, 0, math.min(count, CHUNK) - 1)
    if #best == 0 then return end
    call('ZREM', left, unpack(best))
    if is_packed then call('ZREM', order, unpack(best)) end
    call('HDEL', left .. ':actions', unpack(best))
    count = count - #best
  end
end
