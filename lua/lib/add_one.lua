-- add_one: adds delta to one member of a period. Answers whether that made the key, and whether the member was refused
-- because it is new and the period already holds max_members.
-- Members whose sum is exactly zero are not kept, so a sum equal to delta means that the member was not there.
-- @include round_decimals
local function add_one(key, member, delta, max_members)
  local sum = tonumber(redis.call('ZINCRBY', key, string.format('%.17g', delta), member))
  if sum % 1 ~= 0 then
    sum = round_decimals(sum)
    redis.call('ZADD', key, string.format('%.17g', sum), member)
  end
  if sum == 0 then redis.call('ZREM', key, member) end
  if sum ~= delta or sum == 0 then return false, false end
  local members = redis.call('ZCARD', key)
  if members > max_members then redis.call('ZREM', key, member) end
  return members == 1, members > max_members
end
