-- count_plain: applies a plain batch board by board, see gather_plain. false, and nothing is counted, where the order of events matters:
-- a board has no room for all new members, or an event is too old for every period.
local function count_plain(c)
  for _, board in ipairs(c.board_list) do
    if board.has_new and board_size(board) + #board.members > c.max_members then return false end
  end
  for _, group in ipairs(c.group_list) do
    local is_kept = false
    for _, period in ipairs(group.periods) do
      is_kept = is_kept or period.kept
    end
    if not is_kept then return false end
  end
  for _, group in ipairs(c.group_list) do
    for _, period in ipairs(group.periods) do
      if period.kept then
        add_sums(period.board, group.members, group.sums)
        touch_members(period, group.has)
      end
    end
  end
  for _, board in ipairs(c.decaying ~= '' and c.board_list or {}) do
    for member, sum in pairs(board.sums or {}) do
      board.score[member], board.is_changed = board.score[member] + sum, true
    end
  end
  return true
end
