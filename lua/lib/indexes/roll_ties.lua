-- roll_ties: the sequence numbers of a member on the rolling board of now and on the next one, in tables. `on` holds these boards, the
-- base boards that leave and come, and the member's scores: { now, leaving, coming, next, sum, rest }.
local function roll_ties(c, window, current, member, sequence, on)
  local now, leaving, coming, next_board, sum, rest = unpack(on, 1, 6)
  sequence = sequence or base_sequence(c, window, window.length, current, member)
  now.sequence[member] = sum ~= 0 and sequence or 0
  local left = leaving and leaving.sequence[member] or 0
  -- Members whose last event leaves, and members that are on the board only without what leaves. Both are rare: the
  -- period that leaves is the oldest, and sums seldom fall.
  if rest ~= 0 and (sum == 0 or sequence ~= 0 and sequence == left) then
    sequence = base_sequence(c, window, window.length - 1, current, member)
  end
  if coming then sequence = math.max(sequence, coming.sequence[member]) end
  next_board.sequence[member] = rest ~= 0 and sequence or 0
end
