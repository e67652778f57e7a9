-- mark_counted: notes which members a batch changed in the periods whose totals are handed on.
local function mark_counted(c)
  for _, period in ipairs(c.period_list) do
    local board = period.board
    if board and board.is_changed and string.find(c.changed, period.unit, 1, true) then
      local names = {}
      for i, member in ipairs(board.members) do
        names[i] = c.batch.names[member]
      end
      redis.call(unpack(mark_changed(c.board, period.unit, period.number, names)))
    end
  end
end
