-- tracked_buckets: the buckets that may hold records of a time not longer ago than `reach` actor histories, or than `least` seconds, the
-- latest first. The state lists those that were used, since a clock that was set back may have left records in later ones than now's.
-- Those with a "+" may hold what layout 1 recorded.
local function tracked_buckets(c, reach, least)
  local oldest, buckets = bucket_of(c.now - math.max(reach * c.actor_history, least or 0)), {}
  for bucket in string.gmatch(c.kept_buckets or '', '%d+') do
    if tonumber(bucket) >= oldest then buckets[#buckets + 1] = tonumber(bucket) end
  end
  if not c.kept_buckets then
    for bucket = oldest, bucket_of(c.now) do
      buckets[#buckets + 1] = bucket
    end
  end
  table.sort(buckets, function(a, b) return a > b end)
  return buckets
end
