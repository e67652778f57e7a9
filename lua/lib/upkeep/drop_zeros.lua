-- drop_zeros: drops members whose sum came out as zero from a board that was summed up; answers whether none is left.
local function drop_zeros(c, target)
  while c.left > 0 do
    local zeros = redis.call('ZRANGEBYSCORE', target, 0, 0, 'LIMIT', 0, 500)
    if #zeros > 0 then
      redis.call('ZREM', target, unpack(zeros))
      if c.ties then redis.call('ZREM', index_key(target, c.ties, c.index_generation), unpack(zeros)) end
    end
    c.left = c.left - #zeros - 5
    if #zeros < 500 then return true end
  end
  return false
end
