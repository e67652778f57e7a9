-- unpack_sequence: the sequence number in a sort key; see pack_sort_key.
local function unpack_sequence(sort_key, score, ties)
  local size = math.abs(score)
  local above = math.floor(size / 2 ^ 17)
  if above >= 2044 then return 0 end
  local rest = (math.abs(sort_key) / 2 ^ (above - 1022) - 1) * 2 ^ 52 - size % 2 ^ 17 * 2 ^ 35
  return ties == 'first' and 2 ^ 35 - 1 - rest or rest
end
