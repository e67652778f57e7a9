-- arrivals_of: for members of a board with these scores, the arrivals that their places among equals follow; 0 where none is
-- known.
-- @include arrival_in
local function arrivals_of(key, members, scores, ties)
  local arrivals = redis.call('ZMSCORE', key .. ':' .. ties, unpack(members))
  for i = 1, #members do
    arrivals[i] = arrivals[i] and scores[i] ~= 0 and arrival_in(tonumber(arrivals[i]), scores[i], ties) or 0
  end
  return arrivals
end
