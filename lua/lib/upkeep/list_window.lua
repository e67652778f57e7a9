-- list_window: lists a rolling window among what is counted, see note_since, before it is repaired. So whoever counts without it unmarks it, see
-- note_others: a window is whole only while everybody who counts knows it.
local function list_window(c)
  local counts, entry = c.clock.state.counts, string.format(' %s:%s:%d', c.window, c.unit, c.length)
  if not counts or string.find(counts .. ' ', entry .. ' ', 1, true) then return end
  redis.call('HSET', state_key(c.board), 'counts', (string.gsub(counts, '^%S*', '%0' .. entry, 1)))
  drop_plans(c.board)
end
