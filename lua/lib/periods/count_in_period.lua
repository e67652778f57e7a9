-- count_in_period: counts an entry on a period's board, in tables, with its indexes. Answers 'counted', 'refused' when the member is
-- new and the board is full, or 'passed' for an undo of what did not count there.
local function count_in_period(c, entry, period)
  local tracked, member, delta, board = entry.tracked, entry.member, entry.delta, period.board
  local undoes = entry.undoes
  if undoes and not is_recorded(tracked, period) then return 'passed' end
  if not board then return count_action(c, entry, period.key, delta, true, true) and 'counted' or 'refused' end
  local old = board.score[member] or member_score(c, board, member)
  if old == 0 and delta ~= 0 and not undoes and board_size(board) >= most_members(c, period.unit) then return 'refused' end
  if c.indexes.policy then return keep_value(c, entry, period, old) end
  local new = old + delta
  if new % 1 ~= 0 then new = round_decimals(new) end
  if c.indexes.ties then
    follow_ties(c, entry, period, new)
  else
    period.touched[member] = true
  end
  set_score(board, member, new)
  if is_tallied(c, entry, period.key) then count_action(c, entry, period.key, delta, true) end
  return 'counted'
end
