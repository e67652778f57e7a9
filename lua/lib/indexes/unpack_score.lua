-- unpack_score: the score in a sort key; see pack_sort_key. It is exact for the whole scores that boards with an order of ties have.
local function unpack_score(sort_key)
  local half, exponent = math.frexp(math.abs(sort_key))
  local above, rest = exponent + 1021, (2 * half - 1) * 2 ^ 52
  local size = above < 2044 and above * 2 ^ 17 + math.floor(rest / 2 ^ 35) or 2044 * 2 ^ 17 + (above - 2044) * 2 ^ 52 + rest
  return sort_key < 0 and -size or size
end
