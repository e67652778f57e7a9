-- find_scores: finds the scores of who is curated on the board that c.stands asks for, unless they were read with it. The state has them, see note_stand.
-- That is believed where an event of a member who is not curated was added to the board unread, unless the board is new: it may have gone before its
-- time.
local function find_scores(c)
  local stands, board = c.stands, c.boards and c.boards[c.stands.key]
  local curated, was = stands.curated, stands.sum and round_decimals(tonumber(stands.sum) - stands.delta)
  if stands.is_read or not curated.members[1] then return end
  if board then was = board.was[1] end
  local head, is_known = stands.head, was and not (board and board.made) and not curated.is_moved[c.batch.names[1]]
  if not (is_known and string.sub(c.stood, 1, #head) == head and is_standing_whole(c)) then
    read_stand(c, {})
    return
  end
  stands.is_read = true
  for member, score in string.gmatch(string.sub(c.stood, #head + 1), '([^\n]*)\t([^\n]*)\n') do
    curated.scores[member] = tonumber(score)
  end
end
