-- store_newcomers: writes who put how many new members on the board within the hour, with one command, and gives a new hash its end. c.newcomers_state
-- is the caller's to write.
local function store_newcomers(c)
  local counts, values, key = c.newcomer_counts, {}, newcomers_key(c.board)
  for name, more in pairs(counts.more) do
    if more > 0 then
      values[#values + 1], values[#values + 2] = name, counts.was[name] + more
    end
  end
  if #values == 0 then return end
  redis.call('HSET', key, unpack(values))
  if c.newcomers_state then redis.call('EXPIREAT', key, counts.until_s) end
end
