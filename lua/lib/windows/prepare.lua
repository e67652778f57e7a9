-- prepare: gives members their scores on the next rolling board: the score of now minus that of the base period that leaves the
-- window. sums are their scores on the board of the current period. Answers whether that made the key.
local function prepare(board, window, unit, length, current, members, sums, indexes)
  local leaving_key = period_key(board, unit, current - length + 1)
  local leaving = scores_of(leaving_key, members)
  local values = {}
  for i = 1, #members do
    values[i] = round_decimals(sums[i] - leaving[i])
  end
  local sequences
  if indexes and indexes.ties then
    sequences = sequences_of(window_key(board, window, current), members, sums, indexes.ties)
    local left = sequences_of(leaving_key, members, leaving, indexes.ties)
    for i = 1, #members do
      -- Members whose last event leaves, and members that are on the board only without what leaves. Both are rare: the
      -- period that leaves is the oldest, and sums seldom fall.
      if values[i] ~= 0 and (sums[i] == 0 or sequences[i] ~= 0 and sequences[i] == left[i]) then
        sequences[i] = base_sequences(board, unit, length - 1, current, { members[i] }, indexes.ties)[1]
      end
    end
  end
  return assign(window_key(board, window, current + 1), members, values, indexes, sequences)
end
