-- plan_tallies: plans what counts the action of a plain batch for its members on the board of a key. false where nothing was counted
-- there before, and where new members have no room.
local function plan_tallies(c, commands, key, sums)
  local names, come, has_new, action = sums.names, { 'HSET', key .. ':actions' }, 0, sums.action
  local said = redis.call('HMGET', come[2], '\0', unpack(names))
  if not said[1] then return false end
  for i = 1, #names do
    if not said[i + 1] then has_new = has_new + 1 end
    come[2 * i + 1], come[2 * i + 2] = names[i], tally(said[i + 1], action, sums.times[i], sums.deltas[i], true)
  end
  if has_new > 0 and c.indexes['activity-log'] and redis.call('HLEN', come[2]) - 1 + has_new > most_members(c, 'd') then return false end
  commands[#commands + 1] = come
  return true
end
