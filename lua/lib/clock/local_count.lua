-- local_count: how many whole units of `size` seconds the zone's clock has reached at instant t ('hour' or 'day').
-- It never decreases: a clock set back across the start of a period does not bring the old period back.
local function local_count(rows, unit, size, t)
  local count = nil
  for i = 1, #rows do
    local row = rows[i]
    if row.from > t then break end
    local next_row = rows[i + 1]
    local last = next_row and math.min(next_row.from - 1, t) or t
    local reached = math.floor((last + row[unit]) / size)
    if not count or reached > count then count = reached end
  end
  return count
end
