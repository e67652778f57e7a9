-- assign_scores: gives members of a board the scores of a list, and removes those whose score is zero. The indexes follow; `sequences` are the
-- members' sequence numbers where the board keeps an order of ties.
local function assign_scores(c, key, members, scores, sequences)
  local call, set, gone, there, their_scores, their_sequences = redis.call, {}, {}, {}, {}, {}
  for i = 1, #members do
    if scores[i] == 0 then
      gone[#gone + 1] = members[i]
    else
      set[#set + 1], set[#set + 2] = string.format('%.17g', scores[i]), members[i]
      there[#there + 1], their_scores[#their_scores + 1] = members[i], scores[i]
      their_sequences[#their_sequences + 1] = sequences and sequences[i]
    end
  end
  if c.is_dense then change_holders(c, key, scores_of(key, members), scores) end
  if #gone > 0 then call('ZREM', key, unpack(gone)) end
  if #set > 0 then call('ZADD', key, unpack(set)) end
  if sequences then
    if #gone > 0 then call('ZREM', index_key(key, c.ties, c.index_generation), unpack(gone)) end
    put_sequences(c, key, there, their_scores, their_sequences)
  end
end
