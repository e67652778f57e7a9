-- load_hash: reads the fields of a hash that are wanted, with one command.
local function load_hash(hash)
  local wanted = hash.wanted
  if #wanted == 0 then return end
  local values = redis.call('HMGET', hash.key, unpack(wanted))
  for i = 1, #wanted do
    hash.was[wanted[i]], hash.values[wanted[i]] = values[i], values[i]
  end
  hash.wanted = {}
end
