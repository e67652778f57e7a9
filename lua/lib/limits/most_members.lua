-- most_members: how many members a board may hold: that of a unit's period, or of the decaying window ":name". The argument begins with the
-- greatest bound: "1000000 d=5000 :hot=200".
local function most_members(c, of)
  local _, to = string.find(c.max_members, ' ' .. of .. '=', 1, true)
  return tonumber(string.match(c.max_members, '^%d+', to and to + 1 or 1))
end
