-- note_late: notes the periods of the past that a batch changed and of which past rankings were made, also by another configuration: they
-- were made without it.
local function note_late(c)
  for _, period in ipairs(c.past and c.past ~= '' and c.period_list or {}) do
    if next(period.touched) and string.find(c.past, ':' .. period.unit .. ':', 1, true) then
      if period.number < period_number(period.unit, c, c.week_starts_on) then c.late[#c.late + 1] = period end
    end
  end
end
