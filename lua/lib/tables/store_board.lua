-- store_board: writes what changed on a board: a command for the members that it has, one for those that left, and likewise for
-- each of its indexes.
local function store_board(c, board)
  if not board.is_changed then return end
  local names, was, score, come, gone, at = c.batch.names, board.was, board.score, {}, {}, 0
  for _, member in ipairs(board.members) do
    local new = score[member]
    if new ~= was[member] then
      if new == 0 then
        gone[#gone + 1] = names[member]
      else
        at = at + 2
        come[at - 1], come[at] = score_arg(new), names[member]
      end
    end
  end
  -- A key that is emptied first would lose its expiry.
  if at > 0 then redis.call('ZADD', board.key, unpack(come)) end
  if #gone > 0 then redis.call('ZREM', board.key, unpack(gone)) end
  if board.distinct_come then store_distinct(board) end
  if c.indexes.ties then store_ties(c, board, gone) end
end
