-- plan_values: reads the values of members on a board, and plans what gives them those of `sums` that they keep instead. Answers whether
-- the board has its mark, and room for new members, whose senders must be able to put them there: `firsts` are their first events. Nothing
-- stands beside their values any more; sums.has_metas says whether something may.
local function plan_values(c, commands, key, unit, sums, firsts)
  local names, values, keeps, has_new = sums.names, sums.deltas, policy_of(c), 0
  local scores = redis.call('ZMSCORE', key, '\0', unpack(names))
  if not scores[1] then return false end
  local come, gone = { 'ZADD', key }, { 'HDEL', metas_key(key) }
  for i = 1, #names do
    local old = scores[i + 1]
    if not old then has_new = has_new + 1 end
    if not old and firsts and not may_join(c, firsts[i]) then return false end
    if not old or keeps(values[i], tonumber(old)) then
      come[#come + 1], come[#come + 2] = sums.texts[i], names[i]
      if sums.has_metas then gone[#gone + 1] = names[i] end
    end
  end
  if has_new > 0 and redis.call('ZCOUNT', key, '(-inf', '+inf') + has_new > most_members(c, unit) then return false end
  if come[3] then commands[#commands + 1] = come end
  if gone[3] then commands[#commands + 1] = gone end
  return true
end
