-- store_entries: remembers one by one what actors did that cannot be undone, on an activity log that does: of each actor the latest ones. An entry
-- is "what times action", a line feed and the item; `what` makes it one of its own. Entries count nothing. So what somebody else left at
-- such a key is left alone, and the event counts.
local function store_entries(c)
  local batch, kept, of, keys = c.batch, c.indexes.entries, {}, {}
  for e = 1, kept and batch.items and batch.count or 0 do
    local item = batch.items[e]
    if item and batch.outcomes[e] == 'c' then
      local key = entries_key(c.board, batch.names[batch.members[e]])
      if not of[key] then
        of[key], keys[#keys + 1] = { 'ZADD', key }, key
      end
      local what = string.format('e%010.0f', (c.now_us + e) % 1e10)
      of[key][#of[key] + 1] = string.format('%d', batch.instants[e])
      of[key][#of[key] + 1] = string.format('%s %d %s\n%s', what, batch.times[e] or 1, batch.actions[e], item)
    end
  end
  for _, key in ipairs(keys) do
    if type(redis.pcall(unpack(of[key]))) == 'number' then
      redis.call('ZREMRANGEBYRANK', key, 0, -kept - 1)
      redis.call('EXPIRE', key, c.indexes.entries_for)
    end
  end
end
