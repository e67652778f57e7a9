-- turn_full: lets the sets of ids turn at the next call when the current one is full. It is looked for now and then, by a part of the
-- clock that nobody can choose.
local function turn_full(c, key)
  if redis.call('SCARD', key) < MAX_IDS then return end
  redis.call('HSET', state_key(c.board), 'turned:' .. c.sender, c.now - c.replay_window)
  drop_plans(c.board)
end
