-- base_sequences: for each member its latest sequence number on `length` base boards, the last of which is `last`.
local function base_sequences(board, unit, length, last, members, ties)
  local latest = {}
  for i = 1, #members do
    latest[i] = 0
  end
  for number = last - length + 1, last do
    local key = period_key(board, unit, number)
    local sequences = sequences_of(key, members, scores_of(key, members), ties)
    for i = 1, #members do
      latest[i] = math.max(latest[i], sequences[i])
    end
  end
  return latest
end
