-- take_back: undoes what count_now wrote before it failed, exactly: whole numbers, members that were not there, and scores that it
-- had read.
local function take_back(c, member, delta, id)
  local call = redis.call
  for i = #(c.put or {}), 1, -1 do
    local key, old = unpack(c.put[i])
    if type(old) == 'function' then old = old() end
    if old then
      call('ZADD', key, string.format('%.17g', old), member)
    else
      call('ZREM', key, member)
    end
  end
  for _, key in pairs(c.counted or {}) do
    if key and call('ZINCRBY', key, string.format('%.0f', -delta), member) == '0' then call('ZREM', key, member) end
  end
  for _, key in ipairs(c.refusals or {}) do
    call('DECRBY', key, 1)
  end
  if c.id_key then call('SREM', c.id_key, id) end
end
