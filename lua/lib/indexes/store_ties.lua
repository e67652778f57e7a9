-- store_ties: writes the sort keys of members whose score or sequence number changed, and removes those that left. An order of ties
-- begins with its board: one that began later would never be whole.
local function store_ties(c, board, gone)
  if not (board.has_ties or board.made) then return end
  local names, come, ties = c.batch.names, {}, c.indexes.ties
  for _, member in ipairs(board.members) do
    local score, sequence = board.score[member], board.sequence[member]
    if score ~= 0 and (score ~= board.was[member] or sequence ~= board.sequence_was[member]) then
      come[#come + 1] = string.format('%.17g', pack_sort_key(score, sequence, ties))
      come[#come + 1] = names[member]
    end
  end
  if board.has_ties ~= true then
    come[#come + 1], come[#come + 2] = '-inf', '\0'
  end
  if #come > 0 then redis.call('ZADD', board.ties_key, unpack(come)) end
  if #gone > 0 then redis.call('ZREM', board.ties_key, unpack(gone)) end
end
