-- read_more_state: reads what of a target's state an event of now does not need.
local function read_more_state(c)
  local fields = { 'sequence', 'past', 'buckets', 'journal' }
  c.sequence, c.past, c.kept_buckets, c.kept_journal = unpack(redis.call('HMGET', state_key(c.board), unpack(fields)), 1, 4)
end
