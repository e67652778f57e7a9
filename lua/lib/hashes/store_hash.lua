-- store_hash: writes what changed in a hash, with a command for the fields that it has and one for those that left, and gives it its
-- expiry: that of a board's counts by action is its board's.
local function store_hash(c, hash)
  if not hash.changed then return end
  local set, del, expiry = {}, {}, hash.lives_until
  local period = c.periods[hash.board_key or '']
  if hash.board_key and not hash.was['\0'] then
    set[1], set[2] = '\0', '1'
    expiry = period and expires_at(c, period.unit, period.number) or not period and fading_expiry(c, hash.key)
  end
  for field in pairs(hash.changed) do
    local was, value = hash.was[field], hash.values[field]
    if value and value ~= was then
      set[#set + 1], set[#set + 2] = field, value
    elseif was and not value then
      del[#del + 1] = field
    end
  end
  -- A key that is emptied first would lose its expiry.
  if #set > 0 then redis.call('HSET', hash.key, unpack(set)) end
  if #del > 0 then redis.call('HDEL', hash.key, unpack(del)) end
  if expiry and not (hash.may_live_longer and redis.call('TTL', hash.key) > expiry - c.now) then
    redis.call('EXPIREAT', hash.key, expiry)
  end
end
