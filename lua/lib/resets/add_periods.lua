-- add_periods: adds the last `count` periods of a unit to what is reset, and their fields to a reply; none between two seasons.
local function add_periods(c, reply, unit, count)
  local clock = c.clock
  local last = period_number(unit, clock, c.week_starts_on)
  if not last then return end
  local first, entries, periods = last - count + 1, 0, 0
  for number = first, last do
    local members = add_board(c, period_key(c.board, unit, number))
    if string.find(c.changed, unit, 1, true) then mark_members(c, unit, number) end
    entries, periods = entries + members, periods + (members > 0 and 1 or 0)
  end
  c.reset_periods[unit] = { first = first, last = last }
  local first_at, last_at = reset_bounds(c, unit, first), reset_bounds(c, unit, last)
  for _, field in ipairs({ unit, first, first_at or '', last, last_at or '', periods, entries }) do
    reply[#reply + 1] = field
  end
end
