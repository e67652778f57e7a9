-- merge_tallies: adds the counts by action of the first of c.members on a board to the second one's, and takes them away.
local function merge_tallies(c, key, is_fading)
  local call, hash, old, new = redis.call, key .. ':actions', c.members[1], c.members[2]
  local both = call('HMGET', hash, old, new)
  if not both[1] then return end
  local said = both[2]
  for action, times, sum in string.gmatch(both[1], '(%S+) (%S+) (%S+)') do
    said = tally(said, action, tonumber(times), tonumber(sum), not is_fading)
  end
  if said then
    call('HSET', hash, new, said)
  else
    call('HDEL', hash, new)
  end
  call('HDEL', hash, old)
  c.is_changed = true
end
