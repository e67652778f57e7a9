-- keep_options: the generation (text) of the indexes that writers keep under these options. Under other ones than before it is a new
-- one, so that no index that was left alone for a while is taken for whole. See settle_indexes.
local function keep_options(board, clock, indexes, writes)
  local kept = {}
  for _, index in ipairs({ 'first', 'last', 'dense' }) do
    if indexes[index] or indexes.ties == index then kept[#kept + 1] = index end
  end
  local options = table.concat(kept, ' ')
  local generation, before = string.match(clock.state.indexes or '0:', '^(%d+):(.*)$')
  if before == options then return generation end
  if clock.state.indexes then generation = string.format('%d', generation + 1) end
  if writes then
    redis.call('HSET', state_key(board), 'indexes', generation .. ':' .. options, 'changed', clock.now_us, 'due', '')
    drop_plans(board)
  end
  return generation
end
