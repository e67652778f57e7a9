-- kept_index: the key of an index of a board ("first", "last" or "distinct"); nil when the state says that writers do not keep it.
-- The second answer tells that the state does not say: layout 1 may have kept it for a part of the time only.
local function kept_index(found, key, index)
  local indexes = found.clock.state.indexes
  if not indexes then return key .. (index == 'distinct' and ':scores' or ':' .. index), true end
  local generation, options = string.match(indexes, '^(%d+):(.*)$')
  local option = index == 'distinct' and 'dense' or index
  if not string.find(' ' .. options .. ' ', ' ' .. option .. ' ', 1, true) then return nil end
  return index_key(key, index, generation), false
end
