-- local_start: the first instant at which local_count reaches `count`.
local function local_start(rows, unit, size, count)
  for i = 1, #rows do
    local at = math.max(rows[i].from, count * size - rows[i][unit])
    local next_row = rows[i + 1]
    if not next_row or at < next_row.from then return at end
  end
end
