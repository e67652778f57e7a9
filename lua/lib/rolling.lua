-- rolling: adding the events of a batch to rolling windows.
-- @use batch_parts, boards, counting, indexes, limits, period_boards, undoing, values, window_notes, windows

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

-- roll_batch: brings a rolling window up to date, in tables, with the base periods that a batch changed. When its board is not whole,
-- it is left alone, and a repair is told whom it must look at again.
--
-- Source: rolling boards with constant writes, made self-healing; tests/lua has the model.
local function roll_batch(c, window)
  local current = period_number(window.unit, c, c.week_starts_on)
  local members, deltas, sequences = changed_members(c, window, current)
  if #members == 0 then return end
  if window.stored == 'repair ' .. current then return want_touched(c, window, current, members) end
  if string.sub(window.stored, 1, 6) ~= 'whole ' then return end
  local now = board_of(c, window_key(c.board, window.name, current), whole_mark(c.generation))
  local next_board = board_of(c, window_key(c.board, window.name, current + 1))
  local leaving, coming = base_board(c, window, current - window.length + 1), base_board(c, window, current + 1)
  for _, board in pairs({ now, leaving or now, coming or now }) do
    want_members(board, members)
    load_board(c, board)
  end
  load_next(c, next_board, members)
  if not is_base_right(c, window, now, listed_base(c, window, current - window.length + 1)) then
    c.broken[#c.broken + 1] = { window, current }
    return
  end
  now.rolls, next_board.rolls = { window, current }, { window, current + 1 }
  for _, member in ipairs(members) do
    local sum = round_decimals(now.score[member] + deltas[member])
    local rest = next_score(sum, leaving and leaving.score[member], coming and coming.score[member])
    if c.indexes.ties then roll_ties(c, window, current, member, sequences[member], { now, leaving, coming, next_board, sum, rest }) end
    set_score(now, member, sum)
    if c.has_indexes then
      set_score(next_board, member, rest)
    else
      next_board.score[member] = rest
    end
  end
  next_board.is_changed = true
end
