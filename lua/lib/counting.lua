-- counting: counts by action and sequence numbers of the entries of a batch.
-- @use boards, hashes, limits, period_boards, tallies

-- count_action: counts the actions of an entry for its member on the board of a key, in tables. `worth` is what they added there.
-- false when the member is new and max_members are there, where that `is_bounded`: in the activity log.
local function count_action(c, entry, key, worth, decimal, is_bounded)
  local hash, member = hash_of(c.hashes, actions_key(key)), entry.name
  local stored = get_field(hash, member)
  if is_bounded and not stored and hash_size(hash) >= most_members(c, 'd') then return false end
  hash.board_key = key
  put_field(hash, member, tally(stored, entry.action, entry.undoes and -entry.times or entry.times, worth, decimal))
  return true
end

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

-- base_sequence: the greatest sequence number of a member on `length` base boards of a rolling window, the last of which is `last`, in
-- tables.
local function base_sequence(c, window, length, last, member)
  local greatest = 0
  for number = last - length + 1, last do
    local base = base_board(c, window, number)
    if base then greatest = math.max(greatest, base.sequence[member] or read_sequence(c, base, member)) end
  end
  return greatest
end

-- roll_ties: the sequence numbers of a member on the rolling board of now and on the next one, in tables. `on` holds these boards, the
-- base boards that leave and come, and the member's scores: { now, leaving, coming, next, sum, rest }.
local function roll_ties(c, window, current, member, sequence, on)
  local now, leaving, coming, next_board, sum, rest = unpack(on, 1, 6)
  sequence = sequence or base_sequence(c, window, window.length, current, member)
  now.sequence[member] = sum ~= 0 and sequence or 0
  local remaining = leaving and leaving.sequence[member] or 0
  -- Members whose last event leaves, and members that are on the board only without what leaves. Both are rare: the
  -- period that leaves is the oldest, and sums seldom fall.
  if rest ~= 0 and (sum == 0 or sequence ~= 0 and sequence == remaining) then
    sequence = base_sequence(c, window, window.length - 1, current, member)
  end
  if coming then sequence = math.max(sequence, coming.sequence[member]) end
  next_board.sequence[member] = rest ~= 0 and sequence or 0
end
