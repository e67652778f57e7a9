-- crowds_now: whether an event of now, whose member is new on the longest window, is one too many of its sender. What was counted of it is
-- then taken back, and its id forgotten.
local function crowds_now(c, member, delta)
  local longest = tonumber(c.sums[#c.units] or nil)
  if c.newcomers == '' or delta == 0 or longest ~= delta or may_join(c, 1) then return false end
  take_back(c, member, delta, c.known_as)
  c.id_key = nil
  return true
end
