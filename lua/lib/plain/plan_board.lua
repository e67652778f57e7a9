-- plan_board: reads the scores of members on a board, and plans what adds `deltas` to them. Answers the new scores; nil where the board
-- lacks its mark, or has no room for new members.
local function plan_board(c, commands, key, names, deltas, is_decaying)
  local scores, added, has_new = redis.call('ZMSCORE', key, '\0', unpack(names)), {}, 0
  if not scores[1] then return nil end
  for i = 1, #names do
    local old = scores[i + 1]
    if not old then has_new = has_new + 1 end
    local score = (old or 0) + deltas[i]
    added[i] = (score % 1 == 0 or is_decaying) and score or round_decimals(score)
  end
  if has_new > 0 and redis.call('ZCOUNT', key, '(-inf', '+inf') + has_new > c.max_members then return nil end
  plan_scores(commands, key, names, added)
  return added
end
