-- wants_places: lets index_now give a member its places after an undo, where a board has an order of ties: those of rolling windows follow from their base
-- boards. Answers whether all is there.
local function wants_places(c)
  if not c.indexes.ties then return true end
  if not knows_state(c) then return false end
  settle_indexes(c)
  c.replace = function(...) return replace_indexed(c, ...) end
  return not c.new_indexes
end
