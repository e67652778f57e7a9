-- merge_entry: makes what the first of c.members has on a board the second one's, with its indexes, and takes it away. Done twice it finds
-- nothing. Past rankings are made anew when they are wanted again.
local function merge_entry(c, key, stage, number)
  if stage.is_past then return end
  local call, old, new = redis.call, c.members[1], c.members[2]
  local scores = call('ZMSCORE', key, old, new)
  if scores[1] then c.entries = c.entries + 1 end
  if c.is_dry then return end
  if scores[1] and (c.archived ~= '' or c.clock.state.archived) then note_merged(c, key, scores) end
  if scores[1] then
    local on = { ties = keeps_order(c, key) and c.ties, is_dense = c.is_dense and not stage.is_fading }
    on.index_generation, on.members = c.index_generation, c.members
    local was, own = tonumber(scores[1]), scores[2] and tonumber(scores[2])
    local sequences = on.ties and sequences_on(on, key, c.members, { was, own })
    if c.policy then
      keep_better(c.policy, on, key, { was, own }, sequences)
    else
      local sum = was + (own or 0)
      if not stage.is_fading then sum = round_decimals(sum) end
      assign_scores(on, key, c.members, { 0, sum }, sequences and { 0, math.max(sequences[1], sequences[2]) })
    end
    if c.changed ~= '' then mark_dropped(c, key, c.members) end
    if number and stage.of then
      c.merged[stage.of], c.past = true, bump_past(c.past, stage.of, number) or c.past
    end
    c.is_changed = true
  end
  forget_places(c, key, { old })
  merge_tallies(c, key, stage.is_fading)
end
