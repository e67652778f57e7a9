-- index_now: counts one event of now as planned on a board with an order of ties or with counts by action, or on the activity log. Answers its
-- outcome; nil where the event or a key is not as usual: what c.put lists was written then, and is to be put back.
--
-- Counts by action and orders of ties are read first, so that writing them cannot fail. Scores are added to unread before that, as in
-- add_now.
local function index_now(c, plan, member, delta, _, id, action)
  if delta <= 0 then return nil end
  local call, state = redis.call, c.board .. ':state'
  local keys, tallies, ending = read_indexed(c, plan, member, delta, action)
  if not keys then return nil end
  if id ~= '' then
    local key = c.board .. ':ids:' .. c.sender .. ':' .. plan[5]
    local was_known = call('SISMEMBER', c.board .. ':ids:' .. c.sender .. ':' .. plan[4], id) == 1
    if call('SADD', key, id) == 0 or was_known then return 'd' end
    c.id_key = key
    if c.now_ms % 64 == 0 then c.turns = key end
  end
  if plan[6] ~= '' then
    local scores = add_indexed(c, keys, member, delta)
    local sequence = tonumber(c.said[12 + 2 * #c.windows] or 0) + 1
    if not scores or ending and not place_indexed(keys, ending, member, scores, sequence, plan[6]) then return nil end
    if ending then
      call('HSET', state, 'changed', c.now_us, 'sequence', sequence)
    else
      call('HSET', state, 'changed', c.now_us)
    end
  end
  if c.new_plan then call('HSET', state, unpack(c.new_plan)) end
  for i = 1, #tallies do
    call('HSET', keys[i] .. ':actions', member, tallies[i])
  end
  return 'c'
end
