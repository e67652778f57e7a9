-- use_bucket: the bucket of now and its end, noted for the state as used, and whether it may hold what layout 1 recorded. It forgets the
-- buckets that no actor history reaches.
local function use_bucket(c)
  local bucket, ends_at = bucket_of(c.now)
  local known = c.kept_buckets and string.match(c.kept_buckets, ' ' .. bucket .. '(%+?) ')
  if known then return bucket, ends_at, known == '+' end
  local buckets = tracked_buckets(c, 2, SEQ_KEPT)
  for i = 1, #buckets do
    local is_old = not c.kept_buckets or string.find(c.kept_buckets, ' ' .. buckets[i] .. '+', 1, true)
    buckets[i] = buckets[i] .. (is_old and '+' or '')
  end
  if c.kept_buckets then buckets[#buckets + 1] = bucket end
  c.new_buckets = ' ' .. table.concat(buckets, ' ') .. ' '
  local is_old = not c.kept_buckets
  c.kept_buckets = c.new_buckets
  return bucket, ends_at, is_old
end
