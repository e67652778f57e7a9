-- sequences_on: the sequence numbers of members on a board, where they have these scores; 0 where none is known. See
-- pack_sort_key.
local function sequences_on(c, key, members, scores)
  local sort_keys = redis.call('ZMSCORE', index_key(key, c.ties, c.index_generation), unpack(members))
  local sequences = {}
  for i = 1, #members do
    sequences[i] = sort_keys[i] and scores[i] and unpack_sequence(tonumber(sort_keys[i]), scores[i], c.ties) or 0
  end
  return sequences
end
