-- tally: adds to a member's counts by action, kept in the hash ":actions" as "action count sum …". Sums are what the action's
-- events were worth. Answers whether the member is the hash's first.
-- @include round_decimals
local function tally(key, member, action, count, worth, decimal)
  local hash, words, found = key .. ':actions', {}, false
  local said = redis.call('HGET', hash, member)
  for name, times, sum in string.gmatch(said or '', '(%S+) (%S+) (%S+)') do
    local counted, summed = tonumber(times), tonumber(sum)
    if name == action then
      found, counted, summed = true, counted + count, summed + worth
      if decimal then summed = round_decimals(summed) end
    end
    if counted ~= 0 then words[#words + 1] = string.format('%s %d %.17g', name, counted, summed) end
  end
  if not found then words[#words + 1] = string.format('%s %d %.17g', action, count, worth) end
  if #words == 0 then
    redis.call('HDEL', hash, member)
    return false
  end
  redis.call('HSET', hash, member, table.concat(words, ' '))
  return not said and redis.call('HLEN', hash) == 1
end
