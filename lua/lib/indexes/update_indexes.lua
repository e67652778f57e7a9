-- update_indexes: brings the indexes of a board up to date after members' scores went from `olds` to `news`. One is the order
-- of ties (":first" or ":last", by sort keys, see pack_sort_key). The other is the distinct scores (":scores"). An index is begun
-- together with its board. One that was begun later would never be whole.
local function update_indexes(indexes, key, members, olds, news, sequences, made)
  local ties = indexes.ties
  if ties and (made or redis.call('EXISTS', key .. ':' .. ties) == 1) then
    local set, gone = {}, {}
    for i = 1, #members do
      if news[i] == 0 then
        gone[#gone + 1] = members[i]
      else
        set[#set + 1] = string.format('%.17g', pack_sort_key(news[i], sequences[i], ties))
        set[#set + 1] = members[i]
      end
    end
    if #gone > 0 then redis.call('ZREM', key .. ':' .. ties, unpack(gone)) end
    if #set > 0 then redis.call('ZADD', key .. ':' .. ties, unpack(set)) end
  end
  if indexes.dense and (made or redis.call('EXISTS', key .. ':scores') == 1) then
    for i = 1, #members do
      if olds[i] ~= news[i] then
        local old, new = string.format('%.17g', olds[i]), string.format('%.17g', news[i])
        if news[i] ~= 0 then redis.call('ZADD', key .. ':scores', new, new) end
        if olds[i] ~= 0 and redis.call('ZCOUNT', key, old, old) == 0 then redis.call('ZREM', key .. ':scores', old) end
      end
    end
  end
end
