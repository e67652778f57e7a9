-- read_state: reads the state of a call's target, and its rolling windows; see open_call. Answers the reply that refuses the call, if
-- any.
local function read_state(c)
  local windows, fields = {}, { 'layout', 'seen', 'generation', 'ids:' .. c.sender, 'sequence', 'indexes', 'past', 'buckets' }
  if c.rolling ~= '' then
    for name, unit, length in string.gmatch(c.rolling, '([^:%s]+):(%a):(%d+)') do
      local index = string.find(c.units, unit, 1, true)
      if not index then return redis.error_reply('ERR ' .. name .. ' is made of a unit that is not counted') end
      windows[#windows + 1] = { name = name, unit = unit, length = tonumber(length), index = index }
      fields[#fields + 1] = 'window:' .. name
      fields[#fields + 1] = 'made:' .. unit
    end
  end
  local values = redis.call('HMGET', state_key(c.board), unpack(fields))
  local layout = values[1]
  local refusal = layout and layout ~= '2' and check_layout(layout)
  if refusal then return refusal end
  c.layout, c.seen, c.generation, c.sequence = layout, values[2], values[3] or '0', values[5]
  c.kept_indexes, c.past, c.buckets = values[6], values[7], values[8]
  c.windows = windows
  for w = 1, #windows do
    windows[w].said, windows[w].made = values[7 + 2 * w] or '', values[8 + 2 * w] or ''
  end
  local turn, turned_at = string.match(values[4] or '', '^(%d+):(%d+)$')
  c.ids_turn, c.ids_turned_at = tonumber(turn or 0), tonumber(turned_at)
  if turn and c.now >= c.ids_turned_at and c.now < c.ids_turned_at + c.replay_window then c.id_turn = c.ids_turn end
end
