-- count_refusals: counts the events of new members that a full board refused.
local function count_refusals(c, key, unit, number, times)
  local counter, expiry = key .. ':refused', expires_at(c, unit, number)
  redis.call('INCRBY', counter, times)
  c.refusals = c.refusals or {}
  c.refusals[#c.refusals + 1] = counter
  if expiry then redis.call('EXPIREAT', counter, expiry) end
end
