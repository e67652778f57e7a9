-- hash_of: a hash as tables. A field that is not there is false. The field "\0" is read with the others: it says that the hash is there,
-- and until when.
local function hash_of(c, key)
  local hash = c.hashes[key]
  if not hash then
    hash = { key = key, wanted = { '\0' }, was = { ['\0'] = false }, values = {}, growth = 0 }
    c.hashes[key], c.hash_list[#c.hash_list + 1] = hash, hash
  end
  return hash
end
