-- keep_better: lets the second of two members keep the first one's value on a board instead of its own, if the policy does, with what stands
-- beside it. The first leaves the board. Of equal values the place among ties is the earlier one.
local function keep_better(policy, on, key, values, sequences)
  local call, old, new, was, own = redis.call, on.members[1], on.members[2], values[1], values[2]
  local metas, instants = metas_key(key), instants_key(key)
  local at = policy == 'latest' and call('HMGET', instants, old, new) or {}
  local keeps = policy_of({ indexes = { policy = policy } })
  local is_better = not own or keeps(was, own, tonumber(at[1] or -1), tonumber(at[2] or -1))
  for _, beside in ipairs(is_better and { metas, instants } or {}) do
    local text = call('HGET', beside, old)
    if text then
      call('HSET', beside, new, text)
    else
      call('HDEL', beside, new)
    end
  end
  call('HDEL', metas, old)
  call('HDEL', instants, old)
  local places = sequences and { 0, is_better and sequences[1] or sequences[2] }
  if sequences and was == own then places[2] = math.min(sequences[1], sequences[2]) end
  assign_scores(on, key, on.members, { 0, is_better and was or own }, places)
end
