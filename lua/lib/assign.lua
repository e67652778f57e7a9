-- assign: gives members of a sorted set the values of a list, removing those that are zero; answers whether that made
-- the key. With options, arrivals are theirs, see index_scores.
-- @include index_scores scores_of
local function assign(key, members, values, options, arrivals)
  local set, gone = {}, {}
  for i = 1, #members do
    if values[i] == 0 then
      gone[#gone + 1] = members[i]
    else
      set[#set + 1] = string.format('%.17g', values[i])
      set[#set + 1] = members[i]
    end
  end
  local olds = options and scores_of(key, members)
  if #gone > 0 then redis.call('ZREM', key, unpack(gone)) end
  local made = false
  if #set > 0 then
    local added = redis.call('ZADD', key, unpack(set))
    made = added > 0 and redis.call('ZCARD', key) == added
  end
  if options then index_scores(options, key, members, olds, values, arrivals, made) end
  return made
end
