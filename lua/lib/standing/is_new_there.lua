-- is_new_there: whether a member is known to lack the board that c.stands asks for, which the plan counts on. Then index_now would have to take back what it adds.
local function is_new_there(c, member)
  local stands = c.stands
  local has_no_place = stands.visible.ranking == 'ordinal' and not stands.places[1] and not stands.curated.is_moved[member]
  return has_no_place and string.find(c.text, '\n' .. stands.key .. '\n', 1, true)
end
