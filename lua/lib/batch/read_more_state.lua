-- read_more_state: reads what of a target's state an event of now does not need.
local function read_more_state(c)
  local fields = { 'sequence', 'indexes', 'past', 'buckets' }
  c.sequence, c.kept_indexes, c.past, c.kept_buckets = unpack(redis.call('HMGET', state_key(c.board), unpack(fields)), 1, 4)
end
