-- is_new_target: whether no board is there of a target without a state, of the unit whose boards are kept longest, as far back as
-- actions of layout 1 could be undone.
local function is_new_target(c)
  local REACH, MOST = 2 * 366 * 86400, 4000
  local spans, longest, unit = { h = 3600, d = 86400, w = 7 * 86400, m = 28 * 86400, y = 365 * 86400, a = REACH }, -1, nil
  for i = 1, #c.units do
    local kept = tonumber(string.sub(c.retention, i * 10 - 9, i * 10))
    if kept == 0 or kept > REACH then kept = REACH end
    -- Layout 1 had no seasons.
    local unit_here = string.sub(c.units, i, i)
    if kept >= longest and unit_here ~= 's' then
      longest, unit = kept, unit_here
    end
  end
  local span = unit and (spans[unit] or select(2, unit_of(unit)))
  if not unit or longest > MOST * span then return false end
  local last, keys = period_number(unit, c, c.week_starts_on), {}
  for number = unit == 'a' and last or last - math.ceil(longest / span) - 1, unit == 'a' and last or last + 1 do
    keys[#keys + 1] = period_key(c.board, unit, number) .. (c.indexes['activity-log'] and ':actions' or '')
  end
  return redis.call('EXISTS', unpack(keys)) == 0
end
