-- erasure_fields: the fields of the state that an erasure needs: of every rolling window, and of what these are made of.
local function erasure_fields(rolling)
  local fields = { 'indexes', 'buckets', 'made:h', 'made:d', 'made:w', 'made:m' }
  for window in string.gmatch(rolling, '([^:%s]+):%a:') do
    fields[#fields + 1] = 'window:' .. window
  end
  return fields
end
