-- want_recorded: lets an undo take its action off what counted it and this configuration does not count, or keeps less long: by its record,
-- see remember_tracked. entry.unlisted are such periods, and entry.fades has such decaying windows as well. Only boards that are still there
-- are changed.
local function want_recorded(c, entry)
  local tracked, member, own, is_listed = entry.tracked, entry.member, {}, {}
  local function is_there(board) return member_score(c, board, member) ~= 0 or board.marked end
  entry.unlisted, tracked.season = {}, tonumber(string.match(tracked.windows, ' s=(%d+) ') or nil)
  if c.indexes['activity-log'] then return end
  for _, period in ipairs(entry.group.periods) do
    is_listed[period.unit] = is_recorded(tracked, period) and (period.kept or c.indexes.final or not c.others)
  end
  for unit in string.gmatch(tracked.units, '%a') do
    local number = not is_listed[unit]
      and (unit == 's' and tracked.season or period_number(unit, local_time(c, tracked.done_at), c.week_starts_on))
    local period = number and unlisted_period(c, unit, number)
    if period and is_there(period.board) then entry.unlisted[#entry.unlisted + 1] = period end
  end
  for _, window in ipairs(decaying_windows(c)) do
    own[window_mark(window)] = true
  end
  for mark in string.gmatch(tracked.windows, '%S+:%x+') do
    local window = not own[mark] and other_window(c, mark)
    for _, on in ipairs(window and decaying_at(c, window, tracked.done_at) or {}) do
      entry.fades = entry.fades or {}
      if is_there(fading_board(c, window, on[1])) then add_fade(c, entry, window, on[1], entry.delta * on[2]) end
    end
  end
end
