-- prepare_members: gives members their scores on the board of the next period: those of now, without those of the base period that
-- leaves, and with those of the next one, which are there where a clock was ahead. `is_ordered` says that the board of the next period keeps an
-- order of ties.
local function prepare_members(c, members, is_ordered)
  local first, next_base = c.current - c.length + 1, period_key(c.board, c.unit, c.current + 1)
  local leaving_base = period_key(c.board, c.unit, first)
  local now, leaving, coming = scores_of(c.key, members), scores_of(leaving_base, members), scores_of(next_base, members)
  local scores, sequences = {}, nil
  for i = 1, #members do
    scores[i] = round_decimals(now[i] - leaving[i] + coming[i])
  end
  if is_ordered then
    sequences = sequences_on(c, c.key, members, now)
    local left, came = sequences_on(c, leaving_base, members, leaving), sequences_on(c, next_base, members, coming)
    local asked, places = {}, {}
    for i = 1, #members do
      -- Members whose last event leaves, members that are on the board only without what leaves, and all members after a change of the options:
      -- then the base boards are the first that have an order.
      if scores[i] ~= 0 and (now[i] == 0 or sequences[i] == left[i]) then
        asked[#asked + 1], places[#places + 1] = members[i], i
      end
    end
    local last = #asked > 0 and last_sequences(c, asked, first + 1, c.current + 1)
    for n = 1, #asked do
      sequences[places[n]] = last[n]
    end
    for i = 1, #members do
      sequences[i] = math.max(sequences[i], came[i])
    end
  end
  assign_scores(c, c.next_key, members, scores, sequences)
end
