-- assign: gives members of a sorted set the values of a list, and removes those whose value is zero. Answers whether
-- that made the key. With indexes, it brings them up to date; `sequences` are the members' sequence numbers.
local function assign(key, members, values, indexes, sequences)
  local set, gone = {}, {}
  for i = 1, #members do
    if values[i] == 0 then
      gone[#gone + 1] = members[i]
    else
      set[#set + 1] = string.format('%.17g', values[i])
      set[#set + 1] = members[i]
    end
  end
  local olds = indexes and scores_of(key, members)
  if #gone > 0 then redis.call('ZREM', key, unpack(gone)) end
  local made = false
  if #set > 0 then
    local added = redis.call('ZADD', key, unpack(set))
    made = added > 0 and redis.call('ZCARD', key) == added
  end
  if indexes then update_indexes(indexes, key, members, olds, values, sequences, made) end
  return made
end
