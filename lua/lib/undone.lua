-- undone: what an undo takes back where windows and periods changed since.
-- @use boards, decay, fading, groups, undoing, zones

-- unlisted_period: a period as tables, see group_of, of a unit that this configuration does not count or keeps less long.
local function unlisted_period(c, unit, number)
  local key = period_key(c.board, unit, number)
  local period = c.periods[key]
  if not period then
    period = { unit = unit, number = number, key = key, kept = false, refused = 0, touched = {} }
    c.periods[key], c.period_list[#c.period_list + 1] = period, period
  end
  period.board = period.board or board_of(c, key)
  return period
end

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
    own[window.mark] = true
  end
  for mark in string.gmatch(tracked.windows, '%S+:%x+') do
    local window = not own[mark] and other_window(c, mark)
    for _, on in ipairs(window and decaying_at(c, window, tracked.done_at) or {}) do
      entry.fades = entry.fades or {}
      if is_there(fading_board(c, window, on[1])) then add_fade(c, entry, window, on[1], entry.delta * on[2]) end
    end
  end
end

-- want_done: lets an entry count, in tables, what its undo takes away, see find_done.
local function want_done(c, entry)
  local tracked = entry.tracked
  entry.group = group_of(c, tracked.done_at)
  if entry.fades then want_fading(c, entry) end
  want_recorded(c, entry)
  if c.indexes.ties then want_undone(c, tracked) end
end
