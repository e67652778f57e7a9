-- get_field: a field of a hash, as counted in tables.
local function get_field(hash, field)
  if hash.values[field] == nil then
    want_field(hash, field)
    load_hash(hash)
  end
  return hash.values[field]
end
