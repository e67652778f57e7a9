-- want_field: lets load_hash read a field.
local function want_field(hash, field)
  if hash.was[field] == nil then
    hash.was[field], hash.wanted[#hash.wanted + 1] = false, field
  end
end
