-- check_sum: finishes an addition of a whole number to a member of the board of a unit's period. Zeros are not kept, so a sum equal to what was
-- added means that the member is new. Answers 'made' when it is the first one of a new board, 'full' when the board had no room
-- and the member was removed again, else nil.
local function check_sum(c, key, unit, member, delta, sum)
  local rounded = round_decimals(sum)
  if rounded ~= sum then redis.call('ZADD', key, string.format('%.17g', rounded), member) end
  if rounded == 0 then redis.call('ZREM', key, member) end
  if rounded ~= delta or delta == 0 then return nil end
  local members = redis.call('ZCOUNT', key, '(-inf', '+inf')
  if members > most_members(c, unit) then
    redis.call('ZREM', key, member)
    return 'full'
  end
  return members == 1 and not redis.call('ZSCORE', key, '\0') and 'made' or nil
end
