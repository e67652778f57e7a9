-- boards: a board as tables, while a batch is counted.
-- @use decay, indexes

-- board_of: a sorted set as tables, by the numbers of a batch's members. `mark` is a member that is asked for with them: `marked`
-- tells after load_board whether it was there.
local function board_of(c, key, mark)
  local board = c.boards[key]
  if not board then
    board = { key = key, mark = mark or '\0', members = {}, wanted = {}, was = {}, score = {}, growth = 0 }
    c.boards[key], c.board_list[#c.board_list + 1] = board, board
    if c.indexes.ties then
      board.sequence, board.sequence_was = {}, {}
    end
  end
  return board
end

-- board_size: how many members a board has, with what was counted in tables.
local function board_size(board)
  if not board.size then board.size = redis.call('ZCOUNT', board.key, '(-inf', '+inf') end
  return board.size + board.growth
end

-- load_board: reads the scores of a board's members that are wanted and not read yet, with one command; 0 for one that is not there.
-- Where the order of ties is kept, it reads their sequence numbers with one more.
local function load_board(c, board)
  local from, members, names, wanted = board.loaded or 0, board.members, c.batch.names, { board.mark }
  if board.loaded and from == #members then return end
  for i = from + 1, #members do
    wanted[#wanted + 1] = names[members[i]]
  end
  local was, score, scores = board.was, board.score, redis.call('ZMSCORE', board.key, unpack(wanted))
  board.marked, board.loaded = scores[1] and true, #members
  for i = from + 1, #members do
    local found = scores[i - from + 1]
    local number = found and tonumber(found) or 0
    was[members[i]], score[members[i]] = number, number
  end
  if c.indexes.ties then load_ties(c, board, from, wanted) end
end

-- want_member: lets load_board read a member of a board.
local function want_member(board, member)
  if board.wanted[member] then return end
  board.wanted[member], board.members[#board.members + 1] = true, member
end

-- member_score: a member's score on a board, as counted in tables.
local function member_score(c, board, member)
  local score = board.score[member]
  if score then return score end
  want_member(board, member)
  load_board(c, board)
  return board.score[member]
end

-- set_score: gives a member its score on a board, in tables. A board keeps no zeros.
local function set_score(board, member, score)
  local old = board.score[member]
  if old == 0 and score ~= 0 then
    board.growth = board.growth + 1
  elseif old ~= 0 and score == 0 then
    board.growth = board.growth - 1
  end
  board.score[member] = score
  if score ~= old or board.sequence then board.is_changed = true end
end

-- want_members: lets load_board read the members of a list.
local function want_members(board, members)
  for i = 1, #members do
    want_member(board, members[i])
  end
end

-- is_unused: whether a target whose state does not tell what it counts has counted nothing. Upkeep may have begun the state before the
-- first event; another one may have been lost.
local function is_unused(c)
  local keys = {}
  for i = 1, #c.units do
    local unit = string.sub(c.units, i, i)
    local current = period_number(unit, c, c.week_starts_on)
    for number = current and current - 1 or 0, current or -1 do
      local key = period_key(c.board, unit, number)
      keys[#keys + 1], keys[#keys + 2] = key, actions_key(key)
    end
  end
  for _, window in ipairs(decaying_windows(c)) do
    for _, on in ipairs(decaying_at(c, window, c.now_ms)) do
      keys[#keys + 1] = window_key(c.board, window.name, on[1])
    end
  end
  return #keys == 0 or redis.call('EXISTS', unpack(keys)) == 0
end

-- break_others: unmarks the rolling windows that upkeep made before anything was counted and that this configuration does not have: the state does
-- not list them yet, see list_window, and they miss what is counted now.
local function break_others(c)
  local has = {}
  for _, window in ipairs(c.windows) do
    has[window.name] = true
  end
  for _, field in ipairs(redis.call('HKEYS', state_key(c.board))) do
    local name = string.match(field, '^window:(.+)$')
    if name and not has[name] then c.broken[#c.broken + 1] = { { name = name }, 0 } end
  end
end

-- hash_size: how many members a hash has, with what was counted in tables.
local function hash_size(hash)
  if not hash.size then
    hash.size = redis.call('HLEN', hash.key)
    if hash.was['\0'] then hash.size = hash.size - 1 end
  end
  return hash.size + hash.growth
end

-- take_added: takes back, exactly, what an event of now added unread, from the last board of its plan down to one, see make_plan. What check_sum
-- took back already is left.
local function take_added(c, member, delta, first)
  local call, keys = redis.call, c.plan.keys
  for i = c.added, first, -1 do
    if not (c.refused and c.refused[#c.units + 1 - i]) then
      local old = round_decimals(tonumber(call('ZSCORE', keys[i], member) or 0) - delta)
      if old == 0 then
        call('ZREM', keys[i], member)
      else
        call('ZADD', keys[i], string.format('%.17g', old), member)
      end
    end
  end
  c.added = first - 1
end

-- take_back: undoes what a call wrote before it failed, exactly: whole numbers, members that were not there, and scores that it had read, with what
-- was beside them.
-- `delta` is what an event of now is worth, see count_now.
local function take_back(c, member, delta, id)
  put_back(c.put or {}, member, 1)
  for i = 1, #(c.put_fields or {}), 2 do
    local key, text = c.put_fields[i], c.put_fields[i + 1]
    redis.call(unpack(text and { 'HSET', key, member, text } or { 'HDEL', key, member }))
  end
  if (c.added or 0) > 0 then take_added(c, member, delta, 1) end
  for _, key in ipairs(c.refusals or {}) do
    redis.call('DECRBY', key, 1)
  end
  if c.marked then unmark(c.marked) end
  if c.id_key then redis.call('SREM', c.id_key, id) end
end
