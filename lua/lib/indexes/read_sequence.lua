-- read_sequence: the sequence number of a member on a board that is not read, from its order of ties alone where that is whole: a sort
-- key holds the score, too.
local function read_sequence(c, board, member)
  local ties = c.indexes.ties
  local found = redis.call('ZMSCORE', index_key(board.key, ties, c.index_generation), '\0', c.batch.names[member])
  if not found[1] then
    member_score(c, board, member)
    return board.sequence[member]
  end
  local sort_key = tonumber(found[2] or nil)
  return sort_key and unpack_sequence(sort_key, unpack_score(sort_key), ties) or 0
end
