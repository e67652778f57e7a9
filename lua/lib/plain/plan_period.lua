-- plan_period: plans what adds sums to the board of a period, and to what is kept beside it. Answers whether all of it is there.
local function plan_period(c, commands, unit, sums)
  local number = period_number(unit, c, c.week_starts_on)
  local key, indexes = period_key(c.board, unit, number), c.indexes
  -- See is_archived. A clock that went back since may have had it archived.
  local archived = c.begun and string.match(' ' .. c.begun, ' ' .. unit .. ':(%-?%d+)')
  if archived and number <= tonumber(archived) then return false end
  if not indexes['activity-log'] then
    local firsts = unit == string.sub(c.units, -1) and sums.firsts
    if indexes.policy then return plan_values(c, commands, key, unit, sums, firsts) end
    local scores = plan_board(c, commands, key, unit, sums.names, sums.deltas, firsts)
    if not scores or indexes.ties and not plan_ties(c, commands, key, sums, scores) then return false end
  end
  return not indexes.actions or plan_tallies(c, commands, key, sums)
end
