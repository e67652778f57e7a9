-- sequences_of: the sequence numbers of members of a board who have these scores; 0 where none is known.
local function sequences_of(key, members, scores, ties)
  local sequences = redis.call('ZMSCORE', key .. ':' .. ties, unpack(members))
  for i = 1, #members do
    sequences[i] = sequences[i] and scores[i] ~= 0 and unpack_sequence(tonumber(sequences[i]), scores[i], ties) or 0
  end
  return sequences
end
