-- change_holders: brings the index of distinct scores of a board up to date after members' scores went from `olds` to `news`. While
-- upkeep builds that index, it holds the scores from some score up, see build_holders.
local function change_holders(c, key, olds, news)
  local call, changes = redis.call, {}
  for i = 1, #news do
    changes[olds[i]] = (changes[olds[i]] or 0) - 1
    changes[news[i]] = (changes[news[i]] or 0) + 1
  end
  changes[0] = nil
  local holders_key, distinct_key = index_key(key, 'holders', c.index_generation), index_key(key, 'distinct', c.index_generation)
  local texts, scores = { '\0' }, { false }
  for score, change in pairs(changes) do
    if change ~= 0 then
      texts[#texts + 1], scores[#scores + 1] = string.format('%.17g', score), score
    end
  end
  if #texts == 1 then return end
  local counts, set, gone, come = call('HMGET', holders_key, unpack(texts)), {}, {}, {}
  local from = counts[1] and (counts[1] == '-inf' and -math.huge or tonumber(counts[1]))
  for i = 2, from and #texts or 0 do
    local holders = tonumber(counts[i] or 0) + changes[scores[i]]
    if scores[i] >= from and holders > 0 then
      set[#set + 1], set[#set + 2] = texts[i], holders
      if not counts[i] then
        come[#come + 1], come[#come + 2] = texts[i], texts[i]
      end
    elseif scores[i] >= from then
      gone[#gone + 1] = texts[i]
    end
  end
  if #set > 0 then call('HSET', holders_key, unpack(set)) end
  if #come > 0 then call('ZADD', distinct_key, unpack(come)) end
  if #gone > 0 then
    call('HDEL', holders_key, unpack(gone))
    call('ZREM', distinct_key, unpack(gone))
  end
end
