-- refuses: the outcome of an event of now whose member does not count: g when it is kept off, x when it was not announced.
-- Else nil.
local function refuses(c, member)
  local said = c.said_now
  if said and string.sub(said, 1, 3) == 'off' then return refuse_now(c, 'g') end
  return c.known_for ~= '0' and is_unknown(c, member) and refuse_now(c, 'x') or nil
end
