-- store_state: writes what a batch changes in the state of its target.
local function store_state(c)
  local changes = {}
  local function change(field, value)
    changes[#changes + 1], changes[#changes + 2] = field, value
  end
  if shows_change(c) then change('changed', c.now_us) end
  if c.first_sequence then change('sequence', string.format('%d', c.first_sequence + c.batch.count)) end
  if c.newcomers_state then change(unpack(c.newcomers_state)) end
  if c.new_buckets then change('buckets', c.new_buckets) end
  if c.new_indexes then
    change('indexes', c.new_indexes)
    change('due', '')
  end
  for _, window in ipairs(c.windows) do
    if window.is_fresh then change('window:' .. window.name, window.said) end
  end
  note_made(c, change)
  for _, period in ipairs(c.past and c.late or {}) do
    c.past = bump_past(c.past, period.unit, period.number) or c.past
    change('past', c.past)
  end
  if #changes > 0 then redis.call('HSET', state_key(c.board), unpack(changes)) end
  if c.new_indexes then drop_plans(c.board) end
end
