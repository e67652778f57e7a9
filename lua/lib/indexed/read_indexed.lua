-- read_indexed: reads what the indexes hold of a member that an event of now concerns. The first `counted` boards of its plan count actions. nil where something is not there, as of a new member. Else
-- - what the member did on those that count actions, with that event
-- - its places in the orders of ties, whose names have an ending, of a tracked event. Of others the last order shows when it is written whether it
--   is there.
local function read_indexed(c, counted, member, delta, action)
  -- Room for what is usual: tables grow by being copied.
  local call, keys, ending, tallies, entry = redis.call, c.plan.keys, c.plan.ending, { '', '' }, c.entry
  local times = not entry and 1 or c.undoes and -entry.times or entry.times
  for i = 1, counted do
    local said = call('HGET', keys[i] .. ':actions', member)
    if not said then return nil end
    tallies[i] = times == 1 and tally_now(said, action, delta) or tally(said, action, times, delta, true)
  end
  local places = entry and {}
  for i = 1, ending ~= '' and (places and #keys or #keys - 1) or 0 do
    local is_there
    if places then
      is_there, places[i] = unpack(call('ZMSCORE', keys[i] .. ending, '\0', member))
    else
      is_there = call('ZSCORE', keys[i] .. ending, '\0')
    end
    if not is_there then return nil end
  end
  return tallies, places
end
