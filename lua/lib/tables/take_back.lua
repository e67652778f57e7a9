-- take_back: undoes what a call wrote before it failed, exactly: whole numbers, members that were not there, and scores that it had read.
-- `delta` is what an event of now is worth, see count_now.
local function take_back(c, member, delta, id)
  put_back(c.put or {}, member, 1)
  if (c.added or 0) > 0 then take_added(c, member, delta, 1) end
  for _, key in ipairs(c.refusals or {}) do
    redis.call('DECRBY', key, 1)
  end
  if c.id_key then redis.call('SREM', c.id_key, id) end
end
