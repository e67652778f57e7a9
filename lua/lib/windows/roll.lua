-- roll: brings a rolling window up to date for members whose base boards were just changed. deltas are the parts of that
-- change inside the window. sequences are the members' new sequence numbers; false means that the base boards must be asked.
-- It takes three writes, however long the window is. Answers whether the boards of the current and of the next period were
-- made.
--
-- While the current board is not ready, members get the sum of their base boards instead. So each is right as soon as it is
-- touched. Source: rolling boards with constant writes, made self-healing; tests/lua/rolling.rs has the model.
local function roll(board, window, unit, length, current, members, deltas, indexes, sequences)
  local key = window_key(board, window, current)
  local ready = is_ready(board, window, current)
  if indexes and indexes.ties then
    for i = 1, #members do
      if not (ready and sequences[i]) then sequences[i] = base_sequences(board, unit, length, current, { members[i] }, indexes.ties)[1] end
    end
  end
  local sums, made
  if not ready then
    sums = base_sums(board, unit, length, current, members)
    made = assign(key, members, sums, indexes, sequences)
  elseif #members == 1 and not indexes then
    local sum = tonumber(redis.call('ZINCRBY', key, string.format('%.17g', deltas[1]), members[1]))
    made = check_sum(key, members[1], deltas[1], sum, math.huge, true)
    sums = { round_decimals(sum) }
  else
    sums = scores_of(key, members)
    for i = 1, #members do
      sums[i] = round_decimals(sums[i] + deltas[i])
    end
    made = assign(key, members, sums, indexes, sequences)
  end
  return made, prepare(board, window, unit, length, current, members, sums, indexes)
end
