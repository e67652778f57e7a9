-- roll_members: brings a rolling window up to date, in tables, for members whose base boards were changed by `deltas`. sequences are
-- their new sequence numbers; false means that the base boards must be asked.
--
-- While the current board is not ready, members get the sum of their base boards instead, so that each is right as soon
-- as it is touched. Source: rolling boards with constant writes, made self-healing; tests/lua/rolling.rs has the model.
local function roll_members(c, window, current, members, deltas, sequences)
  local sets, ties = c.sets, c.indexes.ties
  local unit, length = window.unit, window.length
  local ready = is_ready(c.board, window.name, current)
  local function base(number) return sets.of(period_key(c.board, unit, number)) end
  local now, coming, leaving =
    sets.of(window_key(c.board, window.name, current)), sets.of(window_key(c.board, window.name, current + 1)), base(current - length + 1)
  -- Indexes follow what the scores were; the next board's own scores need not be read.
  local has_indexes = ties or c.indexes.dense
  local concerned = has_indexes and { now, leaving, coming } or { now, leaving }
  for number = current - length + 2, ready and 0 or current do
    concerned[#concerned + 1] = base(number)
  end
  for _, set in ipairs(concerned) do
    for i = 1, #members do
      sets.want(set, members[i])
    end
    sets.load(set)
  end

  for i = 1, #members do
    local member = members[i]
    local sum = ready and round_decimals(sets.get(now, member) + deltas[i]) or 0
    for number = current - length + 1, ready and 0 or current do
      sum = round_decimals(sum + (sets.get(base(number), member)))
    end
    local sequence
    if ties then sequence = ready and sequences[i] or base_sequence(c, unit, length, current, member) end
    sets.put(now, member, sum, sequence)
    local left, left_sequence = sets.get(leaving, member)
    local rest = round_decimals(sum - left)
    -- Members whose last event leaves, and members that are on the board only without what leaves. Both are rare: the
    -- period that leaves is the oldest, and sums seldom fall.
    if ties and rest ~= 0 and (sum == 0 or sequence ~= 0 and sequence == left_sequence) then
      sequence = base_sequence(c, unit, length - 1, current, member)
    end
    if has_indexes then
      sets.put(coming, member, rest, sequence)
    else
      sets.set_score(coming, member, rest)
    end
  end
  now.rolled, coming.rolled = { window, current }, { window, current + 1 }
end
