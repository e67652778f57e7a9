-- find_deed: the newest record of a deed, with its key and whether it is still within the memory (seconds); nil when there is
-- none. It is known for another memory after its own, so that an undo that comes too late is told so.
-- @include deed_key stretch_of
local function find_deed(board, memory, now_ms, who, field)
  local now = math.floor(now_ms / 1000)
  for stretch = stretch_of(now), stretch_of(now - 2 * memory), -1 do
    local key = deed_key(board, stretch, who)
    local record = redis.call('HGET', key, field)
    if record then
      local age = now_ms - tonumber(string.match(record, '^%a+,(%d+)'))
      if age <= 2 * memory * 1000 then return record, key, age <= memory * 1000 end
      return nil
    end
  end
end
