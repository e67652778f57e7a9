-- remember_ids: puts ids into the current set of the two that take turns, of each class of ids that is added to. It turns them when it is
-- time: a replay window after the last turn, or when the set is full. A clock before that instant resets it, and turns nothing. So an id is
-- known for one to two windows, whatever the clock does.
local function remember_ids(c, ids)
  local call = redis.call
  for _, class in ipairs(c.id_classes or { c }) do
    if class.is_old then break end
    local sender, turn, at, window = class.sender, class.ids_turn, class.ids_turned_at, class.replay_window
    local is_full = c.now_ms % 64 == 0 and call('SCARD', ids_key(c.board, sender, turn)) >= MAX_IDS
    -- When the set before the current one expires: what is in it came before the current one's turn.
    local earlier_until
    if not at or c.now >= at + window or is_full then
      earlier_until = at and at + 2 * window
      turn, at = turn + (at and c.now >= at + 2 * window and 2 or 1), c.now
      -- Before the UNLINK: without memory Redis refuses the first write of a script, if that takes any.
      call('HSET', state_key(c.board), 'ids:' .. sender, turn, 'turned:' .. sender, at)
      call('UNLINK', ids_key(c.board, sender, turn))
    elseif c.now < at then
      at, earlier_until = c.now, c.now + window
      call('HSET', state_key(c.board), 'turned:' .. sender, at)
    end
    local key = ids_key(c.board, sender, turn)
    if #ids > 0 then
      call('SADD', key, unpack(ids))
      c.remembered_in = c.remembered_in or {}
      c.remembered_in[#c.remembered_in + 1] = key
    end
    if c.has_more_parts and class.parts_turn ~= turn then
      call('HSET', state_key(c.board), 'parts:' .. sender, turn)
      drop_plans(c.board)
    end
    if turn ~= class.ids_turn or at ~= class.ids_turned_at then
      drop_plans(c.board)
      call('EXPIREAT', key, at + 2 * window)
      if earlier_until then call('EXPIREAT', ids_key(c.board, sender, turn - 1), earlier_until) end
    end
  end
end
