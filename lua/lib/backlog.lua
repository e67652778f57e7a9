-- backlog: messages that a receiver did not take.

-- put_messages: puts messages into a site's backlog. `said` holds three texts of each: the place of one that it replaces, if that is still there, or
-- empty; how many milliseconds ago it could first have been sent; and itself.
local function put_messages(board, now_ms, stored)
  local call, key, texts, bytes = redis.call, backlog_key(board), backlog_texts_key(board), 0
  for i = 1, #stored, 3 do
    local place, at_ms, text = stored[i], now_ms - stored[i + 1], stored[i + 2]
    local before = place ~= '' and call('HGET', texts, place)
    if place == '' then
      -- Those of a millisecond stand in the order of their numbers.
      place = string.format('%.0f-%010d', at_ms, call('HINCRBY', texts, 'number', 1))
      call('ZADD', key, at_ms, place)
      -- What comes now waits again.
      call('HDEL', texts, 'last')
      before = ''
    end
    if before then
      call('HSET', texts, place, text)
      bytes = bytes + #text - #before
    end
  end
  if bytes ~= 0 then call('HINCRBY', texts, 'bytes', bytes) end
end

-- take_messages: takes messages out of a site's backlog, by their places. Answers how many were there.
local function take_messages(board, places)
  local key, texts, taken, bytes = backlog_key(board), backlog_texts_key(board), 0, 0
  for _, place in ipairs(places) do
    local text = redis.call('HGET', texts, place)
    if redis.call('ZREM', key, place) == 1 then taken = taken + 1 end
    if text then
      bytes = bytes + #text
      redis.call('HDEL', texts, place)
    end
  end
  if bytes > 0 then redis.call('HINCRBY', texts, 'bytes', -bytes) end
  return taken
end
