-- who_is_off: which of c.members is kept off the board, if any; where items are no members, none is.
local function who_is_off(c, has_actors)
  if has_actors or not c.clock.state.moved then return nil end
  local found = find_moved({ board = c.board, moved = c.clock.state.moved }, c.members)
  for i = 1, 2 do
    if string.sub(found[i] or '', 1, 3) == 'off' then return c.members[i] end
  end
  return nil
end
