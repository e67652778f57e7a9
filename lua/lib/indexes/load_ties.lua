-- load_ties: reads the sequence numbers of a board's members from its order of ties, from the index after `from` on. `wanted` are
-- their names after a mark.
local function load_ties(c, board, from, wanted)
  wanted[1] = '\0'
  local ties = c.indexes.ties
  board.ties_key = index_key(board.key, ties, c.index_generation)
  local sort_keys = redis.call('ZMSCORE', board.ties_key, unpack(wanted))
  board.has_ties = sort_keys[1] and true
  -- Layout 1 kept them without a mark, from their board's beginning on.
  if not board.has_ties and not board.marked and c.index_generation == '0' then
    board.has_ties = redis.call('EXISTS', board.ties_key) == 1 and 'old'
  end
  for i = from + 1, #board.members do
    local member = board.members[i]
    local sort_key, score = sort_keys[i - from + 1], board.was[member]
    local sequence = sort_key and score ~= 0 and unpack_sequence(tonumber(sort_key), score, ties) or 0
    board.sequence[member], board.sequence_was[member] = sequence, sequence
  end
end
