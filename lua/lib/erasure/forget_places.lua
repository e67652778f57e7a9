-- forget_places: takes members out of every order of ties that was ever kept beside a board.
local function forget_places(c, key, members)
  for generation = 0, tonumber(c.index_generation) do
    for _, order in ipairs({ 'first', 'last' }) do
      redis.call('ZREM', index_key(key, order, string.format('%d', generation)), unpack(members))
    end
  end
end
