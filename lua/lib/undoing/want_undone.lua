-- want_undone: lets the hashes of undone actions be read once for all units of an undo, see sequence_without.
local function want_undone(c, tracked)
  local bucket = use_bucket(c)
  local buckets = tracked_buckets(c, 1)
  for unit, earlier in pairs(tracked.before) do
    for i = 1, #buckets do
      want_field(hash_of(c, undone_key(c.board, buckets[i])), earlier .. unit)
    end
  end
  for unit in string.gmatch(tracked.units, '%a') do
    want_field(hash_of(c, undone_key(c.board, bucket)), tracked.sequence .. unit)
  end
end
