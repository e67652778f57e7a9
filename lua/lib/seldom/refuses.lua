-- refuses: the outcome of an event of now whose member does not count: g when it is kept off. Else nil.
local function refuses(c, member)
  local said = c.moved and find_moved(c, { member })[1]
  return said and string.sub(said, 1, 3) == 'off' and 'g' or nil
end
