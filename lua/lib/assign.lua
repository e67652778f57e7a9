-- assign: gives members of a sorted set the values of a list, removing those that are zero; answers whether that made
-- the key.
local function assign(key, members, values)
  local set, gone = {}, {}
  for i = 1, #members do
    if values[i] == 0 then
      gone[#gone + 1] = members[i]
    else
      set[#set + 1] = string.format('%.17g', values[i])
      set[#set + 1] = members[i]
    end
  end
  if #gone > 0 then redis.call('ZREM', key, unpack(gone)) end
  if #set == 0 then return false end
  local added = redis.call('ZADD', key, unpack(set))
  return added > 0 and redis.call('ZCARD', key) == added
end
