-- period_boards: boards of periods that an event made, and base boards of rolling windows.
-- @use boards, window_notes, zones

-- finish_periods: gives new boards of periods their mark, so that they stay when their last member goes, and their expiry. The state
-- lists base boards of rolling windows as made, so that nobody overlooks that one is gone. One that it lists already was lost.
local function finish_periods(c, made)
  local call, lists, lost = redis.call, {}, {}
  for _, period in ipairs(made) do
    local expiry = expires_at(c, period.unit, period.number)
    call('ZADD', period.key, '-inf', '\0')
    if expiry then call('EXPIREAT', period.key, expiry) end
    for _, window in ipairs(c.windows) do
      if window.unit == period.unit then
        local unit, number, before = period.unit, period.number, window.made
        lists[unit] = list_base(lists[unit] or before, number)
        if list_base(before, number) == before then lost[unit] = list_base(lost[unit] or '', number) end
      end
    end
  end
  for unit, list in pairs(lists) do
    set_state(c.board, 'made:' .. unit, forget_bases(c, unit, list))
  end
  for unit, list in pairs(lost) do
    note_lost(c, c, unit, list)
  end
end

-- listed_base: the board of a base period, as tables, when the state lists it as made; nil otherwise.
local function listed_base(c, window, number)
  if not string.find(window.made, ' ' .. text_of(number) .. ' ', 1, true) then return nil end
  return board_of(c, period_key(c.board, window.unit, number))
end

-- load_next: reads of a rolling window's next board what assigning scores needs: whether it is there, and the scores only where
-- indexes follow them.
local function load_next(c, board, members)
  want_members(board, members)
  if c.has_indexes then return load_board(c, board) end
  board.marked = redis.call('ZSCORE', board.key, '\0') and true
end

-- base_board: the board of a base period, as tables, when this batch counts on it or the state lists it as made; nil otherwise.
local function base_board(c, window, number)
  local period = c.periods[period_key(c.board, window.unit, number)]
  return period and period.board or listed_base(c, window, number)
end
