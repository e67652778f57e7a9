-- plan_ties: plans what gives members of a board their places in its order of ties, by the sequence numbers of their last events. false
-- where it has none, and where a sum is zero: then an earlier event may be the last one.
local function plan_ties(c, commands, key, sums, scores)
  local ties, sequences, sort_keys, pack = c.indexes.ties, sums.sequences, {}, pack_sort_key
  local ties_key = index_key(key, ties, c.index_generation)
  if not redis.call('ZSCORE', ties_key, '\0') then return false end
  for i = 1, #scores do
    if scores[i] == 0 then return false end
    sort_keys[i] = pack(scores[i], sequences[i], ties)
  end
  plan_scores(commands, ties_key, sums.names, sort_keys)
  return true
end
