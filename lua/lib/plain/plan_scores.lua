-- plan_scores: plans the commands that give members of a sorted set their scores. A board keeps no zeros.
local function plan_scores(commands, key, names, scores)
  local come, gone, at = { 'ZADD', key }, { 'ZREM', key }, 2
  for i = 1, #names do
    local score = scores[i]
    if score == 0 then
      gone[#gone + 1] = names[i]
    else
      if score % 1 ~= 0 or score >= 2 ^ 53 or score <= -2 ^ 53 then score = score_arg(score) end
      come[at + 1], come[at + 2], at = score, names[i], at + 2
    end
  end
  -- A key that is emptied first would lose its expiry.
  if at > 2 then commands[#commands + 1] = come end
  if gone[3] then commands[#commands + 1] = gone end
end
