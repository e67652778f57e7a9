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
