-- use_bucket: the bucket of now and its end, noted for the state as used. It forgets those that no actor history reaches.
local function use_bucket(c)
  local bucket, ends_at = bucket_of(c.now)
  if string.find(c.kept_buckets or '', ' ' .. bucket .. ' ', 1, true) then return bucket, ends_at end
  local buckets, is_listed = tracked_buckets(c, 2), false
  for _, known in ipairs(buckets) do
    is_listed = is_listed or known == bucket
  end
  if not is_listed then buckets[#buckets + 1] = bucket end
  c.new_buckets = ' ' .. table.concat(buckets, ' ') .. ' '
  c.kept_buckets = c.new_buckets
  return bucket, ends_at
end
