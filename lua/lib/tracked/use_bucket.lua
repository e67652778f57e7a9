-- use_bucket: the bucket of now and its end, noted for the state as used. It forgets those that no actor history reaches.
local function use_bucket(c)
  local bucket, ends_at = bucket_of(c.now)
  if not c.new_buckets and not string.find(c.buckets or '', ' ' .. bucket .. ' ', 1, true) then
    c.new_buckets = ' ' .. bucket .. ' ' .. table.concat(tracked_buckets(c, 2), ' ') .. ' '
    c.buckets = c.new_buckets
  end
  return bucket, ends_at
end
