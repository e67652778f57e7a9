-- period_of: the period of a unit that holds a time, see period_number, as a table; see group_of. nil between two seasons.
local function period_of(c, unit, time)
  local number = period_number(unit, time, c.week_starts_on)
  if not number then return nil end
  local key = period_key(c.board, unit, number)
  local period = c.periods[key]
  if not period then
    local expiry = time ~= c and expires_at(c, unit, number)
    -- A board that is archived has its periods for so long after others cannot change them any more.
    if expiry and c.indexes.final then expiry = expiry - 30 * 86400 end
    period = { unit = unit, number = number, key = key, kept = not expiry or expiry > c.now, refused = 0, touched = {} }
    if period.kept and not c.indexes['activity-log'] then period.board = board_of(c, key) end
    c.periods[key], c.period_list[#c.period_list + 1] = period, period
  end
  return period
end
