-- remember_ids: puts ids into the current set of the two that take turns, and turns them when it is time: a replay window after the
-- last turn, or when the set is full. A clock before that instant resets it, and turns nothing. So an id is known for one to two
-- windows, whatever the clock does.
local function remember_ids(c, ids)
  local MAX_IDS = 1000000
  local call, turn, at, window = redis.call, c.ids_turn, c.ids_turned_at, c.replay_window
  -- A full set is looked for now and then, by a part of the clock that nobody can choose.
  local is_full = c.now_ms % 64 == 0 and call('SCARD', ids_key(c.board, c.sender, turn)) >= MAX_IDS
  if not at or c.now >= at + window or is_full then
    if at and c.now >= at + 2 * window then turn = turn + 1 end
    turn, at = turn + 1, c.now
    call('UNLINK', ids_key(c.board, c.sender, turn))
  elseif c.now < at then
    at = c.now
  end
  if #ids > 0 then call('SADD', ids_key(c.board, c.sender, turn), unpack(ids)) end
  if c.remembers_parts and c.parts_turn ~= turn then call('HSET', state_key(c.board), 'parts:' .. c.sender, turn) end
  if turn == c.ids_turn and at == c.ids_turned_at then return end
  call('HSET', state_key(c.board), 'ids:' .. c.sender, turn, 'turned:' .. c.sender, at)
  call('EXPIREAT', ids_key(c.board, c.sender, turn), at + 2 * window)
  call('EXPIREAT', ids_key(c.board, c.sender, turn - 1), at + window)
end
