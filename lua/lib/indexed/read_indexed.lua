-- read_indexed: reads what an event of now is counted on, by the lines of its plan, see plan_indexed. Answers the commands that count it; nil where
-- something is not there, or is seldom: a new member, a sum of zero.
local function read_indexed(c, plan, member, delta, action)
  local call, lines, commands, ties = redis.call, {}, {}, plan[6]
  local from, to = plan[10], string.find(c.text, '\n', plan[10], true)
  while to do
    lines[#lines + 1], from = string.sub(c.text, from, to - 1), to + 1
    to = string.find(c.text, '\n', from, true)
  end
  c.sequence = tonumber(c.said[11 + 2 * #c.windows] or 0) + 1
  -- What a key holds of the member, beside its mark, with what is added.
  local function add(key, ties_key, score)
    if score == 0 or ties_key ~= '' and not call('ZSCORE', ties_key, '\0') then return false end
    commands[#commands + 1] = { 'ZADD', key, score_arg(score), member }
    if ties_key ~= '' then commands[#commands + 1] = { 'ZADD', ties_key, score_arg(pack_sort_key(score, c.sequence, ties)), member } end
    return true
  end
  for at = 1, 3 * plan[9], 3 do
    local key, ties_key, tally_key = lines[at], lines[at + 1], lines[at + 2]
    if key ~= '' then
      local scores = call('ZMSCORE', key, '\0', member)
      if not (scores[1] and scores[2] and add(key, ties_key, round_decimals(scores[2] + delta))) then return nil end
    end
    if tally_key ~= '' then
      local said = call('HMGET', tally_key, '\0', member)
      if not (said[1] and said[2]) then return nil end
      commands[#commands + 1] = { 'HSET', tally_key, member, tally(said[2], action, 1, delta, true) }
    end
  end
  for at = 3 * plan[9] + 1, #lines, 5 do
    if lines[at] ~= '' and not roll_indexed(c, lines, at, member, delta, add) then return nil end
  end
  return commands
end
