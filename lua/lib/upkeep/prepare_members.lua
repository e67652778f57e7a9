-- prepare_members: gives members their scores on the board of the next period: those of now, without those of the base period that
-- leaves, and with those of the next one, which are there where a clock was ahead.
local function prepare_members(c, members)
  local first, next_base = c.current - c.length + 1, period_key(c.board, c.unit, c.current + 1)
  local leaving_base = period_key(c.board, c.unit, first)
  local now, leaving, coming = scores_of(c.key, members), scores_of(leaving_base, members), scores_of(next_base, members)
  local scores, sequences = {}, nil
  for i = 1, #members do
    scores[i] = round_decimals(now[i] - leaving[i] + coming[i])
  end
  if c.ties and not keeps_order(c, c.key) then
    -- After a change of the options the base boards are the first that have one.
    sequences = last_sequences(c, members, first + 1, c.current + 1)
  elseif c.ties then
    sequences = sequences_on(c, c.key, members, now)
    local left, came = sequences_on(c, leaving_base, members, leaving), sequences_on(c, next_base, members, coming)
    for i = 1, #members do
      -- Members whose last event leaves, and members that are on the board only without what leaves. Both are rare: the period
      -- that leaves is the oldest, and sums seldom fall.
      if scores[i] ~= 0 and (now[i] == 0 or sequences[i] ~= 0 and sequences[i] == left[i]) then
        sequences[i] = last_sequences(c, { members[i] }, first + 1, c.current + 1)[1]
      end
      sequences[i] = math.max(sequences[i], came[i])
    end
  end
  assign_scores(c, c.next_key, members, scores, sequences)
end
