-- erasure_fields: the fields of the state that an erasure needs: of every rolling window, and of what these are made of; and what was counted, also by
-- other configurations.
local function erasure_fields(rolling)
  local fields = { 'indexes', 'buckets', 'counts', 'others', 'archived' }
  for window, unit in string.gmatch(rolling, '([^:%s]+):(%a):') do
    fields[#fields + 1], fields[#fields + 2] = 'window:' .. window, 'made:' .. unit
  end
  return fields
end
