-- read_indexed: reads what the indexes hold of a member that an event of now concerns, by the plan, see plan_indexed. nil where something is not
-- there, as of a new member. Else
-- - the boards that count it
-- - what the member did on the first of them, by action, with that event; empty where that is not counted
-- - how the names of the keys of orders of ties end, if there are any. Whether the last of these keys is there shows when it is written
local function read_indexed(c, plan, member, delta, action)
  local call, find, keys, tallies, lines, last = redis.call, string.find, {}, {}, c.text, 0
  local from, to = plan[10], find(lines, '\n', plan[10], true)
  while to do
    last = last + 1
    keys[last], from = string.sub(lines, from, to - 1), to + 1
    to = find(lines, '\n', from, true)
  end
  if plan[8] == '1' then
    for i = 1, tonumber(plan[9]) do
      local said = call('HMGET', keys[i] .. ':actions', '\0', member)
      if not (said[1] and said[2]) then return nil end
      tallies[i] = tally(said[2], action, 1, delta, true)
    end
  end
  if plan[6] == '' or plan[6] == '-' then return keys, tallies end
  local ending = index_key('', plan[6], plan[7])
  for i = 1, last - 1 do
    if not call('ZSCORE', keys[i] .. ending, '\0') then return nil end
  end
  return keys, tallies, ending
end
