-- settle_indexes: the generation of a target's indexes. Indexes that were kept for a part of the time only are never whole: other
-- options begin new ones, under names of their own. The state says "generation:options".
local function settle_indexes(c)
  local generation, options = string.match(c.kept_indexes or '', '^(%d+):(.*)$')
  local kept = {}
  for _, index in ipairs({ 'first', 'last', 'dense' }) do
    if c.indexes[index] or c.indexes.ties == index then kept[#kept + 1] = index end
  end
  local text = table.concat(kept, ' ')
  c.index_generation, c.has_indexes = generation or '0', #kept > 0
  if not generation and text ~= '' or generation and options ~= text then
    c.index_generation = generation and string.format('%d', generation + 1) or '0'
    c.new_indexes = c.index_generation .. ':' .. text
  end
  if c.indexes.ties then c.first_sequence = tonumber(c.sequence or c.layout and 0 or redis.call('GET', c.board .. ':sequence') or 0) end
end
