-- put_sequences: writes the order of ties of members who have these scores and sequence numbers.
local function put_sequences(c, key, members, scores, sequences)
  local set = {}
  for i = 1, #members do
    set[2 * i - 1], set[2 * i] = string.format('%.17g', pack_sort_key(scores[i], sequences[i], c.ties)), members[i]
  end
  if #set > 0 then redis.call('ZADD', index_key(key, c.ties, c.index_generation), unpack(set)) end
end
