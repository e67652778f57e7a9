-- index_now: counts one event of now as planned on a board with an order of ties or with counts by action, or on the activity log, see make_plan and
-- count_now. Answers its outcome; nil where the event or a key is not as usual: what was added to c.added boards is to be taken back then.
-- `sequence` is the last number of the order of ties. c.entry is a tracked event, or one that happened more than once; c.note_places and c.replace are
-- what it needs of orders of ties, see note_places and replace_indexed.
--
-- Counts by action and orders of ties are read first, so that writing them cannot fail. Scores are added to unread before that.
local function index_now(c, member, delta, worth, _, id, is_bounded, sequence, action)
  if delta <= 0 and not c.undoes then return nil end
  local call, plan, state = redis.call, c.plan, c.board .. ':state'
  local keys, units, ending = plan.keys, plan.units, plan.ending
  if id ~= '' and plan.ids == '' or units == 0 and is_bounded then return nil end
  local count, counted = #keys, plan.has_actions and units or 0
  local tallies, places = read_indexed(c, counted, member, delta, action)
  if not tallies then return nil end
  if id ~= '' and remember_now(c, id) then return 'd' end
  if plan.has_scores then
    local scores = add_indexed(c, keys, count, member, worth)
    if not scores then return nil end
    if ending ~= '' then
      sequence = (sequence or 0) + 1
      if c.note_places then c.note_places(c, units, scores, places, delta) end
      local place = c.undoes and c.replace or place_indexed
      if not place(keys, count, ending, member, scores, sequence) then return nil end
      call('HSET', state, 'changed', c.instant, 'sequence', string.format('%d', sequence))
    else
      call('HSET', state, 'changed', c.instant)
    end
  end
  if c.new_plan then call('HSET', state, unpack(c.new_plan)) end
  for i = 1, counted do
    if tallies[i] then
      call('HSET', keys[i] .. ':actions', member, tallies[i])
    else
      call('HDEL', keys[i] .. ':actions', member)
    end
  end
  return 'c'
end
