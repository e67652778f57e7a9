-- live_order: the key of the order of ties of a period's board; nil where writers do not keep it.
local function live_order(board, key, ties)
  local indexes = redis.call('HGET', state_key(board), 'indexes')
  return (kept_index({ clock = { state = { indexes = indexes } } }, key, ties))
end
