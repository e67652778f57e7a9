-- load_board: reads the scores of a board's members that are wanted and not read yet, with one command; 0 for one that is not there.
-- Where the order of ties is kept, it reads their sequence numbers with one more.
local function load_board(c, board)
  local from, members, names, wanted = board.loaded or 0, board.members, c.batch.names, { board.mark }
  if board.loaded and from == #members then return end
  for i = from + 1, #members do
    wanted[#wanted + 1] = names[members[i]]
  end
  local was, score, scores = board.was, board.score, redis.call('ZMSCORE', board.key, unpack(wanted))
  board.marked, board.loaded = scores[1] and true, #members
  for i = from + 1, #members do
    local found = scores[i - from + 1]
    local number = found and tonumber(found) or 0
    was[members[i]], score[members[i]] = number, number
  end
  if c.indexes.ties then load_ties(c, board, from, wanted) end
end
