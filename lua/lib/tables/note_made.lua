-- note_made: notes which base boards of rolling windows a batch made, for `change` to write. What the state lists already was lost.
local function note_made(c, change)
  local lists, lost = {}, {}
  for _, window in ipairs(c.windows) do
    local unit, made = window.unit, window.made
    for _, period in ipairs(c.period_list) do
      local board = period.unit == unit and period.board
      if board and board.is_changed and board.is_unmarked then
        lists[unit] = list_base(lists[unit] or made, period.number)
        if board.made and list_base(made, period.number) == made then lost[unit] = list_base(lost[unit] or '', period.number) end
      end
    end
  end
  for unit, list in pairs(lists) do
    change('made:' .. unit, forget_bases(c, unit, list))
  end
  for unit, list in pairs(lost) do
    note_lost(c, c, unit, list)
  end
end
