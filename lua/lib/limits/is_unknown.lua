-- is_unknown: whether an item was not announced, see announce.
local function is_unknown(c, member)
  local announced = redis.call('ZSCORE', known_key(c.board), member)
  return not (announced and tonumber(announced) > c.now - c.known_for)
end
