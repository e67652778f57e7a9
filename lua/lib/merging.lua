-- merging: adding up the boards of a member that became another one.
-- @use behind, erasure, erasure_tracked, tallies, upkeep_indexes, upkeep_members, values, window_notes

-- keep_better: lets the second of two members keep the first one's value on a board instead of its own, if the policy does, with what stands
-- beside it. The first leaves the board. Of equal values the place among ties is the earlier one.
local function keep_better(policy, context, key, values, sequences)
  local call, old, new, was, own = redis.call, context.members[1], context.members[2], values[1], values[2]
  local metas, instants = metas_key(key), instants_key(key)
  local at = has_instants(policy) and call('HMGET', instants, old, new) or {}
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
  assign_scores(context, key, context.members, { 0, is_better and was or own }, places)
end

-- merge_tallies: adds the counts by action of the first of context.members on a board to the second one's, and takes them away. Answers whether there were
-- any: also of one whose sum is zero, who is not on the board.
local function merge_tallies(context, key, is_fading)
  local call, hash, old, new = redis.call, actions_key(key), context.members[1], context.members[2]
  local both = call('HMGET', hash, old, new)
  if not both[1] then return false end
  local stored = both[2]
  for action, times, sum in string.gmatch(both[1], '(%S+) (%S+) (%S+)') do
    stored = tally(stored, action, tonumber(times), tonumber(sum), not is_fading)
  end
  if stored then
    call('HSET', hash, new, stored)
  else
    call('HDEL', hash, new)
  end
  call('HDEL', hash, old)
  context.is_changed = true
  return true
end

-- roll_merged: gives the two members their scores on the boards of the rolling windows anew of whose base periods a chunk merged some. So
-- these are the sums of their base periods after each chunk, also where the next one comes in another period.
local function roll_merged(context)
  for window, unit, length in string.gmatch(context.rolling, '([^:%s]+):(%a):(%d+)') do
    if context.merged[unit] then
      local current = period_number(unit, context.clock, context.week_starts_on)
      assign_rolled(context, { window = window, unit = unit, length = tonumber(length), current = current })
    end
  end
end

-- merge_entry: makes what the first of context.members has on a board the second one's, with its indexes, and takes it away. Done twice it finds
-- nothing. Past rankings are made anew when they are wanted again.
local function merge_entry(context, key, stage, number)
  if stage.is_past then return end
  local call, old, new = redis.call, context.members[1], context.members[2]
  local scores = call('ZMSCORE', key, old, new)
  if scores[1] then context.entries = context.entries + 1 end
  if context.is_dry then return end
  if context.archived ~= '' or context.clock.state.archived then note_merged(context, key, scores) end
  if scores[1] then
    local on = { ties = keeps_order(context, key) and context.ties, is_dense = context.is_dense and not stage.is_fading }
    on.index_generation, on.members = context.index_generation, context.members
    local was, own = tonumber(scores[1]), scores[2] and tonumber(scores[2])
    local sequences = on.ties and sequences_on(on, key, context.members, { was, own })
    if context.policy then
      keep_better(context.policy, on, key, { was, own }, sequences)
    else
      local sum = was + (own or 0)
      if not stage.is_fading then sum = round_decimals(sum) end
      assign_scores(on, key, context.members, { 0, sum }, sequences and { 0, math.max(sequences[1], sequences[2]) })
    end
    if number and stage.of then
      context.merged[stage.of], context.past = true, bump_past(context.past, stage.of, number) or context.past
    end
    context.is_changed = true
  end
  forget_places(context, key, { old })
  local has_tallies = merge_tallies(context, key, stage.is_fading)
  if context.changed ~= '' and (scores[1] or has_tallies) then mark_dropped(context, key, context.members) end
end

-- merge_rolled: gives the two members their scores on the boards of a rolling window anew, after its base periods were merged. Boards of
-- before stay as they were at their end, but for these members.
local function merge_rolled(context, key, stage)
  if context.is_dry then return merge_entry(context, key, stage) end
  for near = stage.current - 2, stage.current - 1 do
    merge_entry(context, window_key(context.board, stage.window, near), stage)
  end
  assign_rolled(context, stage)
end
