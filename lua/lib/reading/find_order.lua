-- find_order: the sorted set in whose order these members of a board stand, and whether its scores are sort keys: the order of
-- ties, where it is kept and knows them all by their scores; else the board itself.
local function find_order(found, ties, members, scores)
  local call, index, is_doubtful = redis.call, nil, false
  if ties ~= '' then
    index, is_doubtful = kept_index(found, found.key, ties)
  end
  if not index or #members == 0 then return found.key, false end
  if is_doubtful and call('ZCARD', index) ~= call('ZCARD', found.key) then return found.key, false end
  local sort_keys = call('ZMSCORE', index, unpack(members))
  for i = 1, #members do
    if not sort_keys[i] or unpack_score(tonumber(sort_keys[i])) ~= scores[i] then return found.key, false end
  end
  return index, true
end
