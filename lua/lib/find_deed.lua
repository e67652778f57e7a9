-- find_deed: the newest record of a deed, with its key and whether it is still within the memory (seconds); nil when there is
-- none. Records stay for one to two memories longer than deeds can be undone, so that an undo that comes too late is told so.
-- @include deed_key
local function find_deed(board, memory, now_ms, who, field)
  local stretch = math.floor(now_ms / 1000 / memory)
  for number = stretch, stretch - 2, -1 do
    local key = deed_key(board, number, who)
    local record = redis.call('HGET', key, field)
    if record then
      local recorded = tonumber(string.match(record, '^%a+,(%d+)'))
      return record, key, now_ms - recorded <= memory * 1000
    end
  end
end
