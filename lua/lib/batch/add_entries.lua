-- add_entries: adds the entries of a group to the board of one of its periods, in tables.
local function add_entries(c, group, period)
  local board, round = period.board, round_decimals
  local score = board.score
  for _, entry in ipairs(group.list) do
    local member = entry.member
    local new = score[member] + entry.delta
    score[member] = new % 1 == 0 and new or round(new)
  end
  board.is_changed = true
  -- Instants of one day may lie in several hours.
  if next(period.touched) == nil then
    period.touched = group.has
    return
  end
  local touched = {}
  for _, members in ipairs({ period.touched, group.has }) do
    for member in pairs(members) do
      touched[member] = true
    end
  end
  period.touched = touched
end
