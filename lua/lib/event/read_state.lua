-- read_state: reads the state of a call's target, and its rolling windows; see open_call. Answers the reply that refuses the call, if
-- any.
local function read_state(c)
  local windows, at = {}, 1
  local fields =
    { 'layout', 'seen', 'generation', 'ids:' .. c.sender, 'turned:' .. c.sender, 'parts:' .. c.sender, 'indexes', 'counts', 'moved' }
  local from, to, name, unit, length = string.find(c.rolling, '^%s*([^:%s]+):(%a):(%d+)')
  while from do
    local index = string.find(c.units, unit, 1, true)
    if not index then return redis.error_reply('UNTOUCHED ERR ' .. name .. ' is made of a unit that is not counted') end
    windows[at] = { name = name, unit = unit, length = tonumber(length), index = index, said = '', made = '' }
    fields[8 + 2 * at], fields[9 + 2 * at], at = 'window:' .. name, 'made:' .. unit, at + 1
    from, to, name, unit, length = string.find(c.rolling, '^%s*([^:%s]+):(%a):(%d+)', to + 1)
  end
  -- An event of now does not need the rest.
  for _, field in ipairs(c.options and { 'sequence', 'past', 'buckets', 'journal' } or {}) do
    fields[#fields + 1] = field
  end
  local values = redis.pcall('HMGET', state_key(c.board), unpack(fields))
  if values.err then return untouched(values) end
  local layout, turned_at = values[1], tonumber(values[5] or nil)
  if layout and layout ~= '2' then return check_layout(layout) end
  c.layout, c.seen, c.windows, c.kept_indexes, c.kept_counts, c.moved = layout, values[2], windows, values[7], values[8], values[9]
  -- See read_clock.
  c.generation = values[3] or layout and '0' or string.format('%d', c.now_ms)
  -- The turn in which the last part of a batch was remembered.
  c.ids_turn, c.ids_turned_at, c.parts_turn = tonumber(values[4] or 0), turned_at, tonumber(values[6] or nil)
  c.has_parts = c.parts_turn and c.parts_turn >= c.ids_turn - 1
  c.id_turn = turned_at and c.now >= turned_at and c.now < turned_at + c.replay_window and c.ids_turn
  local last = #fields
  if c.options then
    c.sequence, c.past, c.kept_buckets, c.kept_journal = unpack(values, last - 3, last)
  end
  for w = 1, #windows do
    windows[w].said, windows[w].made = values[8 + 2 * w] or '', values[9 + 2 * w] or ''
  end
end
