-- read_indexed: reads what the indexes hold of a member that an event of now concerns. The boards of its plan are listed in c.text from a place
-- on: so many, of which the first `counted` count actions. nil where something is not there, as of a new member. Else
-- - the boards that count it
-- - what the member did on those that count actions, with that event
-- Of the orders of ties, whose names have an ending, the last one shows when it is written whether it is there.
local function read_indexed(c, at, count, counted, ending, member, delta, action)
  -- Room for what is usual: tables grow by being copied.
  local call, find, lines, keys, tallies = redis.call, string.find, c.text, { '', '', '', '' }, { '', '' }
  for i = 1, count do
    local to = find(lines, '\n', at, true)
    keys[i], at = string.sub(lines, at, to - 1), to + 1
  end
  for i = 1, counted do
    local said = call('HGET', keys[i] .. ':actions', member)
    if not said then return nil end
    tallies[i] = tally_now(said, action, delta)
  end
  for i = 1, ending ~= '' and count - 1 or 0 do
    if not call('ZSCORE', keys[i] .. ending, '\0') then return nil end
  end
  return keys, tallies
end
