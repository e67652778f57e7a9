-- board_context: what upkeep and erasure know of a board: its state, and which indexes it has under which generation.
local function board_context(board, clock, options, writes)
  local indexes = read_indexes(options) or {}
  local generation = keep_options(board, clock, indexes, writes)
  local context = { board = board, clock = clock, ties = indexes.ties, is_dense = indexes.dense, index_generation = generation }
  context.policy = indexes.policy
  return context
end
