-- put_field: sets a field of a hash, in tables; false removes it.
local function put_field(hash, field, value)
  local old = get_field(hash, field)
  if not old and value then hash.growth = hash.growth + 1 end
  if old and not value then hash.growth = hash.growth - 1 end
  hash.values[field] = value
  hash.changed = hash.changed or {}
  hash.changed[field] = true
end
