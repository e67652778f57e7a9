-- hash_size: how many members a hash has, with what was counted in tables.
local function hash_size(hash)
  if not hash.size then
    hash.size = redis.call('HLEN', hash.key)
    if hash.was['\0'] then hash.size = hash.size - 1 end
  end
  return hash.size + hash.growth
end
