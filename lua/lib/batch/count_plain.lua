-- count_plain: applies the entries of a batch board by board, where that comes to the same: all add to their members, and neither an
-- index nor the room on a board depends on their order. false, and nothing is counted, where it does not.
local function count_plain(c)
  if not c.batch.is_plain or c.has_indexes or c.indexes.actions then return false end
  for _, board in ipairs(c.board_list) do
    if board.has_new and board_size(board) + #board.members > c.max_members then return false end
  end
  for _, group in ipairs(c.group_list) do
    local is_kept = false
    for _, period in ipairs(group.periods) do
      if period.kept then
        is_kept = true
        add_entries(c, group, period)
      end
    end
    for _, entry in ipairs(group.list) do
      local is_counted = is_kept
      for _, fade in ipairs(entry.fades or {}) do
        if fade.value ~= 0 then
          set_score(fade.board, entry.member, fade.board.score[entry.member] + fade.value)
          fade.board.fading, is_counted = fade.board.fading or fade, true
        end
      end
      entry.outcome = is_counted and 'c' or 'o'
    end
  end
  return true
end
