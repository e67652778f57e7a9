-- plan_board: reads the scores of members on a board, and plans what adds `deltas` to them. Answers the new scores; nil where the board
-- lacks its mark, or has no room for new members. `of` says which bound it has, see most_members. With
-- `firsts`, the first event of each member, their senders must be able to put new ones there.
local function plan_board(c, commands, key, of, names, deltas, firsts)
  local is_decaying, scores = string.byte(of) == 58, redis.call('ZMSCORE', key, '\0', unpack(names))
  local added, has_new = {}, 0
  if not scores[1] then return nil end
  for i = 1, #names do
    local old = scores[i + 1]
    if not old then has_new = has_new + 1 end
    if not old and firsts and not may_join(c, firsts[i]) then return nil end
    local score = (old or 0) + deltas[i]
    added[i] = (score % 1 == 0 or is_decaying) and score or round_decimals(score)
  end
  if has_new > 0 and redis.call('ZCOUNT', key, '(-inf', '+inf') + has_new > most_members(c, of) then return nil end
  plan_scores(commands, key, names, added)
  return added
end
