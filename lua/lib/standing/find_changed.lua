-- find_changed: how a batch changed the scores on the window that c.stands asks for: by its members there, each { before, after, name }, with 0
-- for who is not there.
local function find_changed(c)
  local stands, changed = c.stands, {}
  local board, planned = c.boards[stands.key], stands.planned
  for _, member in ipairs(board and board.members or {}) do
    changed[#changed + 1] = { board.was[member], board.score[member], c.batch.names[member] }
  end
  if not planned then return changed end
  local kept = {}
  for i = 3, #planned.come, 2 do
    kept[planned.come[i + 1]] = tonumber(planned.come[i])
  end
  for i, name in ipairs(planned.names) do
    local was = tonumber(planned.scores[i + 1] or 0)
    changed[i] = { was, kept[name] or was, name }
  end
  return changed
end
