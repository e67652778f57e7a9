-- tracked_context: what reading the tracked actions of a target needs, without a batch: the clock, and the buckets that were used.
local function tracked_context(board, actor_history)
  local time = redis.call('TIME')
  return {
    board = board,
    actor_history = actor_history,
    now = tonumber(time[1]),
    now_ms = time[1] * 1000 + math.floor(time[2] / 1000),
    kept_buckets = redis.call('HGET', state_key(board), 'buckets'),
    hashes = {},
    hash_list = {},
  }
end
