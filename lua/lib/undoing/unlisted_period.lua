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
