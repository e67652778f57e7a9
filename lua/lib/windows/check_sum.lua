-- check_sum: finishes an addition: delta was added to a member of a sorted set and made this sum. A member whose sum is zero
-- is removed. So is a new one when the set already holds max_members. Answers whether that made the key, and whether the member
-- was refused. decimal says that the deltas are decimals, see round_decimals.
-- Since zeros are not kept, a sum equal to delta means that the member was not there.
local function check_sum(key, member, delta, sum, max_members, decimal)
  if decimal and sum % 1 ~= 0 then
    local rounded = round_decimals(sum)
    if rounded ~= sum then redis.call('ZADD', key, string.format('%.17g', rounded), member) end
    sum = rounded
  elseif not decimal and math.abs(sum) < math.abs(delta) * 1e-13 then
    -- What rounding left of a sum that was taken back. What is left of long sums is more, but below the floor of the window.
    sum = 0
  end
  if sum == 0 then redis.call('ZREM', key, member) end
  if sum ~= delta or sum == 0 then return false, false end
  local members = redis.call('ZCARD', key)
  if members > max_members then redis.call('ZREM', key, member) end
  return members == 1, members > max_members
end
