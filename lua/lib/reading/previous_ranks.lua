-- previous_ranks: the ranks by member of those that were among the first `depth` shown in the period before, and are wanted; nil when nothing sure
-- is known of them. One command: who stood deeper is not looked for, as in charts.
local function previous_ranks(found, curated, ties, ranking, lowest, depth, is_wanted)
  local key, is_packed, is_vouched = found.previous, false, not found.mark or found.is_vouched
  if ties ~= '' then
    local index, is_doubtful = kept_index(found, key, ties)
    if index and not is_doubtful and is_vouched then
      key, is_packed = index, true
    elseif ranking == 'ordinal' then
      return nil
    end
  end
  local to = depth + #curated.members
  local head = read_order(key, 0, to - 1, is_packed, true)
  -- A rolling board that is read to its end has its mark there. An order of ties without anybody may not have been kept.
  -- Nobody in the order: nobody was there, or it was not kept. Where no curated members were asked for, there is a command left.
  if is_packed and #head.members == 0 and not found.mark and #curated.members == 0 then
    head = read_order(found.previous, 0, 0, false)
    is_packed = #head.members > 0
    head.members = {}
  end
  local is_there = is_vouched and (not is_packed and not found.mark or #head.members == to or is_packed and #head.members > 0)
  for i = #head.members, 1, -1 do
    is_there = is_there or head.members[i] == found.mark
  end
  if not is_there then return nil end
  local ranks, left = {}, depth - #curated.pins
  for place = 1, #curated.pins do
    ranks[curated.pins[place]] = place
  end
  rank_each(head, curated, ranking, lowest, function(member, _, rank)
    if left <= 0 then return true end
    if is_wanted[member] then ranks[member] = rank end
    left = left - 1
  end)
  return ranks
end
